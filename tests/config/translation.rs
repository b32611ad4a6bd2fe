//! Promise: what is said about a config of another system has its place in that file.

use std::path::Path;

use hookgate::config::{ConfigErrors, ConfigProblem, Loader, Remark, Translation};

use crate::loading::{hook, registry};
use crate::support::Log;

const SOURCE: &str = "{\n  \"first\": 1,\n  \"é second\": 2\n}\n";

/// Where `second` is in the source, in bytes.
const SECOND: usize = 18;

fn remark(at: usize) -> Remark {
    Remark {
        code: "fails_open".to_owned(),
        at,
        meaning: "it lets the step go on".to_owned(),
        advice: "write it otherwise".to_owned(),
    }
}

pub(crate) fn untranslatable() -> ConfigErrors {
    ConfigErrors::untranslatable("settings.json", SOURCE, remark(SECOND))
}

fn two_hooks(second: &str) -> Translation {
    let (one, two) = (hook("one", "stop", ""), hook("two", "stop", second));
    let toml = format!("{one}{two}");
    let translation = Translation::new("settings.json", SOURCE, toml);
    // In any order.
    translation.place(one.len(), SECOND).place(0, 4)
}

#[test]
fn a_remark_becomes_a_warning_at_its_place() {
    let registry = registry(&Log::default());
    let translation = two_hooks("").remark(remark(SECOND));
    let loaded = Loader::new(&registry).parse_translation(&translation, Path::new("/")).unwrap();
    let warning = &loaded.warnings[0];
    assert_eq!((warning.file(), warning.line(), warning.column()), ("settings.json", 3, 3));
    assert_eq!(warning.message(), "it lets the step go on [fails_open]");
    assert_eq!(warning.help(), Some("write it otherwise"));
    assert!(matches!(warning.problem(), ConfigProblem::Foreign { .. }));
    assert_eq!(translation.warnings(), loaded.warnings[..1]);
}

#[test]
fn a_hook_comes_from_its_place() {
    let registry = registry(&Log::default());
    let loaded = Loader::new(&registry).parse_translation(&two_hooks(""), Path::new("/")).unwrap();
    let origins: Vec<_> = loaded.table.specs().map(|spec| spec.origin()).collect();
    let shown: Vec<String> = origins.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["settings.json:2", "settings.json:3"]);
    assert_eq!(origins[1].span(), Some(SECOND..SECOND));
    assert_eq!(origins[1].span_of("event"), Some(SECOND..SECOND));
    assert_eq!(origins[1].line_of("event"), Some(3));
    assert!(origins[1].is_translated());

    let own = Loader::new(&registry).parse("hooks.toml", &hook("one", "stop", ""), Path::new("/"));
    assert!(!own.unwrap().table.specs().next().unwrap().origin().is_translated());
}

#[test]
fn a_mistake_of_the_table_has_its_place() {
    let registry = registry(&Log::default());
    for (second, expected) in [
        ("colour = 1", "settings.json:3:3: unknown key `colour`"),
        ("after = [\"none\"]", "settings.json:3:3: hook `two`"),
    ] {
        let translation = two_hooks(second);
        let errors = Loader::new(&registry).parse_translation(&translation, Path::new("/"));
        let errors = errors.unwrap_err().to_string();
        assert!(errors.starts_with(expected), "{errors}");
    }
}

#[test]
fn what_cannot_be_translated_is_an_error_with_a_place() {
    let errors = untranslatable();
    assert_eq!(errors.to_string(), "settings.json:3:3: it lets the step go on [fails_open]");
}
