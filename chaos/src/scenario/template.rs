//! The file that somebody begins with.

/// A scenario with every key there is, explained; it can be run as it is.
pub const TEMPLATE: &str = include_str!("template.toml");

#[cfg(test)]
mod tests {
    use super::TEMPLATE;
    use crate::scenario::{
        Folder, Scenario,
        key::{Key, Takes},
        keys::{SECTIONS, TOP},
    };

    fn mistakes(text: &str) -> Vec<String> {
        match Scenario::parse("template.toml", text, Folder::BuiltIn) {
            Ok(_) => Vec::new(),
            Err(error) => error.mistakes().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn is_without_mistakes() {
        assert_eq!(mistakes(TEMPLATE), Vec::<String>::new());
    }

    /// What explains a key: the comment above it, on one line and in lower case.
    fn comment(section: &str, key: &Key) -> Option<String> {
        let mut comment = String::new();
        let mut inside = section.is_empty();
        for line in TEMPLATE.lines() {
            let line = line
                .strip_prefix('#')
                .filter(|it| !it.starts_with(' '))
                .unwrap_or(line);
            if line.starts_with('[') {
                inside = line.trim_matches(['[', ']']) == section;
            } else if let Some(text) = line.strip_prefix("# ").or_else(|| line.strip_prefix(' ')) {
                comment.push_str(text.trim());
                comment.push(' ');
                continue;
            } else if inside && line.starts_with(&format!("{} = ", key.name)) && !comment.is_empty()
            {
                return Some(comment.to_lowercase());
            }
            comment.clear();
        }
        None
    }

    #[test]
    fn explains_every_key() {
        let sections = SECTIONS.iter().map(|schema| (schema.name, schema.keys));
        for (section, keys) in sections.chain([("", TOP.keys)]) {
            for key in keys {
                let name = key.name;
                let comment = comment(section, key).unwrap_or_else(|| panic!("{section} {name}"));
                let takes = match key.takes {
                    // All of them are named once, above all sections.
                    Takes::Policy => String::from("a policy"),
                    Takes::Policies if !section.is_empty() => String::from("a list of policies"),
                    takes => takes.to_string().to_lowercase(),
                };
                assert!(
                    comment.contains(&takes),
                    "{section} {name}: {takes} in {comment}"
                );
                let preset = match key.preset.to_string() {
                    preset if preset == "required" => preset,
                    preset if preset.starts_with("required,") => preset,
                    preset => format!("default {preset}"),
                };
                let preset = preset.to_lowercase();
                assert!(
                    comment.contains(&preset),
                    "{section} {name}: {preset} in {comment}"
                );
            }
        }
    }

    #[test]
    fn its_examples_can_be_taken_in() {
        let lines: Vec<&str> = TEMPLATE.lines().collect();
        let mut examples = 0;
        for (place, line) in lines.iter().enumerate() {
            let Some(example) = line.strip_prefix('#').filter(|it| !it.starts_with(' ')) else {
                continue;
            };
            let mut text = lines.clone();
            text[place] = example;
            let at = format!("template.toml:{}: ", place + 1);
            for mistake in mistakes(&text.join("\n")) {
                // What needs another word beside it, or its section, or a file.
                let is_alone = [
                    "only where",
                    "only one of",
                    "this one belongs in",
                    "without kind",
                ];
                let is_alone = is_alone.iter().any(|said| mistake.contains(said));
                let is_other = example.starts_with("[generated]") || mistake.contains(" without ");
                assert!(
                    !mistake.starts_with(&at) || is_alone || is_other,
                    "{mistake}"
                );
            }
            examples += 1;
        }
        assert!(examples > 30, "{examples}");
    }
}
