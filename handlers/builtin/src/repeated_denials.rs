//! `repeated_denials`: what was denied is not tried again and again in other words.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Invocation, Reply, Role, Supports, SyncHandler, Verdict,
    VerdictDecision,
};

use crate::denied_actions::DeniedActions;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::Host;
use crate::supports::{can_ask, can_deny, can_halt, proposes_call};

/// At which try an action is stopped, if nothing else is said.
const AFTER: u64 = 3;

const DECISIONS: &[&str] = &["ask", "deny", "halt"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "repeated_denials",
    role: Role::Guard,
    about: "asks, denies or halts when a denied action is tried again, in any words",
    supports: Some(proposes_call),
    settings: &[
        SettingDoc::optional(
            "after",
            SettingType::Integer(2, i64::MAX),
            "at which try, counting the one that was denied first",
        )
        .default("3"),
        SettingDoc::optional(
            "then",
            SettingType::Choice(DECISIONS),
            "what happens from that try on",
        )
        .default("\"deny\""),
    ],
    example: r#"[[hook]]
id = "not-again"
event = "pre_tool_use"
builtin = { name = "repeated_denials", after = 3, then = "ask" }

[[hook]]
id = "notes"
event = "pre_tool_use"
builtin = "note_denials"
"#,
    build: Build::WithHost(build),
};

/// Asks, denies or halts when a session tries again what it was denied, also in other words that no hook objects to.
///
/// An action is known by what it does: the paths that it reads, writes and deletes, the hosts and programs, whatever
/// the tool and the words. The host says what is the same; see its [deeds](crate::Deeds). The section `[escalate]`
/// of a config adds this builtin and [`NoteDenials`](crate::NoteDenials), which must be there, too.
///
/// ```toml
/// [[hook]]
/// id = "not-again"
/// event = "pre_tool_use"
/// builtin = { name = "repeated_denials", after = 3, then = "ask" }
///
/// [[hook]]
/// id = "notes"
/// event = "pre_tool_use"
/// builtin = "note_denials"
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `after` | integer, `3` | at which try, counting the one that was denied first; 2 or more |
/// | `then` | string, `"deny"` | `ask`, `deny` or `halt`: what happens from that try on |
///
/// The tries before have no opinion of it: other hooks decide. A try counts once, also if it is evaluated again after
/// a rewrite or an approval, and whatever came of it. The reason names the denial with which it began.
///
/// What it counts is kept in the [state](crate::Host::state) of the host, if it has one; what cannot be read or kept
/// there is a failure of the class `state`. It refuses nothing that no other hook has refused before, so it does not
/// count as a guard where one is required.
pub struct RepeatedDenials {
    actions: Arc<DeniedActions>,
    after: u64,
    then: VerdictDecision,
}

impl fmt::Debug for RepeatedDenials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RepeatedDenials")
            .field("after", &self.after)
            .field("then", &self.then)
            .finish_non_exhaustive()
    }
}

impl RepeatedDenials {
    /// Creates a handler that denies the third try, with what a host keeps; `None` if the host knows no deeds.
    #[must_use]
    pub fn new(host: &Host) -> Option<Self> {
        let actions = host.denied_actions()?;
        Some(Self { actions, after: AFTER, then: VerdictDecision::Deny })
    }

    /// Sets at which try something happens, counting the one that was denied first.
    #[must_use]
    pub fn after(self, after: u64) -> Self {
        Self { after, ..self }
    }

    /// Sets what happens from that try on. An allow would be no opinion.
    #[must_use]
    pub fn then(self, then: VerdictDecision) -> Self {
        Self { then, ..self }
    }
}

impl SyncHandler for RepeatedDenials {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let tries = self.actions.tried(&invocation)?;
        let Some(tries) = tries.filter(|tries| tries.number >= self.after) else {
            return Ok(Verdict::none());
        };
        let reason = format!("this was denied before, whatever the words: {tries}");
        Ok(match self.then {
            VerdictDecision::Allow => Verdict::none(),
            VerdictDecision::Ask => Verdict::ask(reason),
            VerdictDecision::Deny => Verdict::deny(reason),
            VerdictDecision::Halt => Verdict::halt(reason),
        })
    }
}

impl From<RepeatedDenials> for BuiltHandler {
    fn from(handler: RepeatedDenials) -> Self {
        let can: Supports = match handler.then {
            VerdictDecision::Ask => |contract| of_calls(contract, can_ask),
            VerdictDecision::Halt => |contract| of_calls(contract, can_halt),
            VerdictDecision::Allow | VerdictDecision::Deny => {
                |contract| of_calls(contract, can_deny)
            }
        };
        let actions = Arc::clone(&handler.actions);
        let built = Self::from_sync(handler).role(Role::Guard).supports(can);
        let built = built.doubts(move || actions.doubt().into_iter().collect());
        // Where a guard is required, it is none: it only knows what others have refused.
        built.identity("sessions").keeps_state().heavy().never_refuses()
    }
}

fn of_calls(contract: &Contract, can: Supports) -> Result<(), &'static str> {
    proposes_call(contract).and_then(|()| can(contract))
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    let after = settings.within("after", 2..=i64::MAX);
    let is_stricter = |decision: &VerdictDecision| *decision != VerdictDecision::Allow;
    let parse = |name: &str| VerdictDecision::from_name(name).filter(is_stricter);
    let then = settings.choice("then", DECISIONS, parse);
    if (settings.has("after") && after.is_none()) || (settings.has("then") && then.is_none()) {
        return None;
    }
    let Some(handler) = RepeatedDenials::new(host) else {
        settings.invalid("name", "this program does not know what calls do");
        return None;
    };
    let after = after.and_then(|after| u64::try_from(after).ok()).unwrap_or(AFTER);
    Some(handler.after(after).then(then.unwrap_or(VerdictDecision::Deny)).into())
}
