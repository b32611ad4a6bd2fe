//! Damage in process: a builtin parses damaged text, or returns a verdict that it must not return.

use hookgate::contract::BuildContext;
use hookgate::contract::settings::Settings;
use hookgate::contract::{BuiltHandler, Invocation, VerdictDecision};
use hookgate::{Failure, FailureClass, Registry, Verdict};

use crate::{DECISIONS, Damaged, text};

pub(crate) fn registry() -> Registry {
    let registry = crate::support::registry();
    registry.register_builtin("says", build).unwrap();
    registry
}

fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let decision = VerdictDecision::from_name(settings.required_text("decision")?)?;
    let how = settings.required_text("how")?.to_owned();
    Some(BuiltHandler::from_sync(move |_: Invocation<'_>| {
        if let Some((_, damage)) = text::ALL.iter().find(|(name, _)| *name == how) {
            return Verdict::parse(&damage(&text::good(decision, false)));
        }
        let verdict = match decision {
            VerdictDecision::Allow => Verdict::allow(),
            VerdictDecision::Ask => Verdict::ask("why"),
            VerdictDecision::Deny => Verdict::deny("why"),
            VerdictDecision::Halt => Verdict::halt("why"),
        };
        match &*how {
            "patch of a guard" => Ok(verdict.patch("tool_input", serde_json::json!({}))),
            "answer of a guard" => Ok(verdict.answer("x", false)),
            _ => {
                let salvaged = Some(decision).filter(|decision| *decision > VerdictDecision::Allow);
                Err(Failure::new(FailureClass::Exit, "on purpose").with_salvaged(salvaged))
            }
        }
    }))
}

pub(crate) fn all() -> Vec<Damaged> {
    let names = text::ALL.iter().map(|(name, _)| *name);
    let names: Vec<&str> =
        names.chain(["patch of a guard", "answer of a guard", "a failure that says so"]).collect();
    let each = |decision: VerdictDecision| {
        names.iter().map(move |how| Damaged {
            what: format!("builtin, {how},"),
            decision,
            handler: format!(
                "builtin = {{ name = \"says\", decision = \"{decision}\", how = \"{how}\" }}"
            ),
            late: false,
        })
    };
    DECISIONS.into_iter().flat_map(each).collect()
}
