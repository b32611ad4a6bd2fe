//! Code in process: it parses text as the other kinds do, or says what it must not say.

use hookgate::contract::settings::{Settings, Surroundings};
use hookgate::contract::{Ask, Built, Word};
use hookgate::{Failure, FailureClass, Registry, Verdict};

use crate::{Damaged, WORDS, text};

pub(crate) fn registry() -> Registry {
    let registry = Registry::with_defaults();
    registry.register_builtin("says", build).unwrap();
    registry
}

fn build(settings: &mut Settings<'_>, _: &Surroundings<'_>) -> Option<Built> {
    let word = Word::from_name(settings.required_text("word")?)?;
    let how = settings.required_text("how")?.to_owned();
    Some(Built::sync(move |_: Ask<'_>| {
        if let Some((_, damage)) = text::ALL.iter().find(|(name, _)| *name == how) {
            return Verdict::parse(&damage(&text::good(word, false)));
        }
        let verdict = match word {
            Word::Allow => Verdict::allow(),
            Word::Ask => Verdict::ask("why"),
            Word::Deny => Verdict::deny("why"),
            Word::Halt => Verdict::halt("why"),
        };
        match &*how {
            "patch of a guard" => Ok(verdict.patch("tool_input", serde_json::json!({}))),
            "answer of a guard" => Ok(verdict.answer("x", false)),
            _ => {
                let stands = Some(word).filter(|word| *word > Word::Allow);
                Err(Failure::new(FailureClass::Exit, "on purpose").standing(stands))
            }
        }
    }))
}

pub(crate) fn all() -> Vec<Damaged> {
    let names = text::ALL.iter().map(|(name, _)| *name);
    let names: Vec<&str> =
        names.chain(["patch of a guard", "answer of a guard", "a failure that says so"]).collect();
    let each = |word: Word| {
        names.iter().map(move |how| Damaged {
            what: format!("builtin, {how},"),
            word,
            handler: format!("builtin = {{ name = \"says\", word = \"{word}\", how = \"{how}\" }}"),
            late: false,
        })
    };
    WORDS.into_iter().flat_map(each).collect()
}
