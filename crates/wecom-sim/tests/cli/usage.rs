//! Usage that is wrong.

use super::{run, text};

#[test]
fn usage_that_is_wrong_is_2_and_help_is_0() {
    for args in [
        vec![],
        vec!["srve"],
        vec!["serve", "--listen", "nowhere"],
        vec!["serve", "--seed", "-1"],
        vec!["serve", "--seed", "9223372036854775808"],
        vec!["serve", "--seed", ""],
        vec!["serve", "--seed", "1", "--seed", "2"],
        vec!["serve", "--listen", "127.0.0.1"],
        vec!["serve", "--listen", "127.0.0.1:65536"],
        vec!["serve", "--listen", "localhost:80"],
        vec!["serve", "--listen"],
        vec!["serve", "--profile"],
        vec!["serve", "--profile", "a", "--profile", "b"],
        vec!["serve", "--expose", "--expose"],
        vec!["serve", "--expose=1"],
        vec!["serve", "--lisen", "127.0.0.1:0"],
        vec!["serve", "more"],
        vec!["profile", "more"],
        vec!["demo", "--seed", "1"],
        vec!["check"],
    ] {
        let wrong = run(&args);
        assert_eq!(wrong.status.code(), Some(2), "{args:?}");
        assert!(wrong.stdout.is_empty(), "{args:?}");
        // Named is what is wrong, or there is the manual.
        let told = text(&wrong.stderr);
        let named = args.iter().skip(1).find(|arg| !arg.is_empty());
        let named = named
            .or_else(|| args.first())
            .map_or("Usage", |arg| arg.split('=').next().unwrap());
        assert!(told.contains(named) || told.contains("Usage"), "{told}");
    }
    for args in [vec!["--help"], vec!["serve", "--help"], vec!["--version"]] {
        assert!(run(&args).status.success(), "{args:?}");
    }
}
