//! The page: one file that needs no other, and no script to be read.

mod charts;
mod compare;
mod criteria;
mod overview;
mod panels;
mod section;
mod show;
mod svg;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Report;

/// Returns `index.html`.
#[must_use]
pub fn page(report: &Report) -> String {
    let title = match &report.scenarios[..] {
        [only] => format!("{} - chaos report", only.name),
        _ => "chaos report".into(),
    };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title))
            body {
                (overview::overview(report))
                main {
                    @for scenario in &report.scenarios {
                        (section::section(scenario, &report.commit))
                    }
                }
                footer {
                    p {
                        "Goodput is what succeeded in time; the optimum is what could have, of what came, with the "
                        "capacity that was there. All figures leave the warm-up out. "
                        "The same figures are in " code { "report.json" } ", what the runs took in "
                        code { "timing.json" } "."
                    }
                }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    markup.into_string()
}

fn head(title: &str) -> Markup {
    // What is not in the file is not loaded, whatever a text in it says.
    let policy =
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link rel="icon" href="data:,";
            style { (PreEscaped(include_str!("page.css"))) }
        }
    }
}
