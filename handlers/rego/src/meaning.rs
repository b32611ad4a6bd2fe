//! What the value of a rule means: by the name of the rule, or as a hook says.

use hookgate_contract::{Contract, Supports, VerdictDecision};

/// What the value of a rule means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    /// True allows; false and undefined deny.
    Allow,
    /// Texts, each a reason to stop the run.
    Halt,
    /// Texts, each a reason to deny.
    Deny,
    /// Texts, each a reason to ask the user.
    Ask,
    /// Texts for the model.
    Context,
    /// Texts for the user.
    Warn,
    /// An object that is a verdict.
    Verdict,
}

/// The names of rules in the policies that people have, and what they mean there.
const RULES: &[(Meaning, &[&str])] = &[
    (Meaning::Allow, &["allow", "allowed", "authorized", "permit", "permitted"]),
    (Meaning::Halt, &["halt"]),
    (
        Meaning::Deny,
        &["deny", "denied", "denies", "block", "forbid", "reject", "violation", "violations"],
    ),
    (Meaning::Ask, &["ask"]),
    (Meaning::Context, &["add_context", "context"]),
    (Meaning::Warn, &["warn", "warning", "warnings"]),
    (Meaning::Verdict, &["verdict"]),
];

impl Meaning {
    /// The names of all meanings, as the setting `result` has them.
    pub(crate) const NAMES: &[&str] =
        &["allow", "deny", "ask", "halt", "warn", "context", "verdict"];

    /// Returns the meaning of a name of the setting `result`.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "halt" => Self::Halt,
            "warn" => Self::Warn,
            "context" => Self::Context,
            "verdict" => Self::Verdict,
            _ => return None,
        })
    }

    /// Returns what a rule of this name means; `None` if the name does not say.
    pub(crate) fn of_rule(path: &str) -> Option<Self> {
        let name = path.rsplit('.').next().unwrap_or(path);
        let found = RULES.iter().find(|(_, names)| names.contains(&name));
        found.map(|(meaning, _)| *meaning)
    }

    /// Returns the decision of a rule whose value is texts; `None` if the texts decide nothing.
    pub(crate) const fn decision(self) -> Option<VerdictDecision> {
        match self {
            Self::Allow | Self::Deny => Some(VerdictDecision::Deny),
            Self::Ask => Some(VerdictDecision::Ask),
            Self::Halt => Some(VerdictDecision::Halt),
            Self::Context | Self::Warn | Self::Verdict => None,
        }
    }

    /// Returns the events at which a rule of this meaning can do something.
    pub(crate) fn supports(self) -> Supports {
        match self {
            Self::Allow | Self::Deny => |contract| can(contract, VerdictDecision::Deny),
            Self::Ask => |contract| can(contract, VerdictDecision::Ask),
            Self::Halt => |contract| can(contract, VerdictDecision::Halt),
            Self::Context => takes_context,
            Self::Warn | Self::Verdict => |_| Ok(()),
        }
    }
}

fn can(contract: &Contract, decision: VerdictDecision) -> Result<(), &'static str> {
    match decision {
        decision if contract.allows(decision) => Ok(()),
        VerdictDecision::Ask => {
            Err("the user cannot be asked here, and `query` names a rule `ask`")
        }
        VerdictDecision::Halt => Err("nothing can be halted here, and `query` names a rule `halt`"),
        _ => Err("nothing can be denied here, and the rule in `query` denies"),
    }
}

fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context { Ok(()) } else { Err("no context can be added here") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_meaning_is_one() {
        for name in Meaning::NAMES {
            assert!(Meaning::from_name(name).is_some(), "{name}");
            assert_eq!(Meaning::of_rule(&format!("data.a.{name}")), Meaning::from_name(name));
        }
        assert_eq!(Meaning::of_rule("data.a.violation"), Some(Meaning::Deny));
        assert_eq!(Meaning::of_rule("data.allow.result"), None);
    }
}
