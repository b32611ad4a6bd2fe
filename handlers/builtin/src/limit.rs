//! `limit`: so many calls, tokens, so much money or time, and then an end or a question.

mod measure;
mod reading;
mod transcript;
mod usage;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use hookgate_contract::settings::Settings;
use hookgate_contract::system;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Event, Failure, FailureClass, Invocation, Kept, Reply,
    Role, StateHome, StateScope, Supports, SyncHandler, Verdict, VerdictDecision,
};
use minijinja::value::Value;

use self::measure::Measure;
use self::reading::Reading;
use self::usage::Usage;
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::host::{Clock, Host, NO_CLOCK};
use crate::reason::Reasoned;
use crate::supports::{can_ask, can_end, can_halt, can_stop};

/// How many sessions are counted in memory. Beyond it the least recently used one is forgotten.
const MAX_SESSIONS: usize = 10_000;

const MEASURES: &[&str] = &["calls", "tokens", "cost", "time"];
const DECISIONS: &[&str] = &["ask", "deny", "halt"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "limit",
    role: Role::Guard,
    about: "asks, denies or halts after so many calls, tokens, so much money or time",
    supports: Some(can_limit),
    settings: &[
        SettingDoc::required(
            "of",
            SettingType::Choice(MEASURES),
            "what is counted; docs/limits.md says where tokens and costs are read",
        ),
        SettingDoc::required(
            "over",
            SettingType::Amount,
            "how much passes; a duration such as `30m` for `time`",
        ),
        SettingDoc::optional(
            "per",
            SettingType::TextOr(&["session", "turn"]),
            "what it is counted for; a duration such as `10m` is a window that moves along",
        )
        .default("\"session\""),
        SettingDoc::optional(
            "then",
            SettingType::Choice(DECISIONS),
            "what happens beyond it; `halt` by default, `deny` where nothing can be halted",
        ),
        SettingDoc::optional(
            "reason",
            SettingType::Template,
            "the reason; a template also knows `used` and `over`",
        ),
    ],
    example: r#"[[hook]]
id = "not-too-many"
event = "pre_tool_use"
tool = "WebFetch"
builtin = { name = "limit", of = "calls", over = 20, per = "10m", then = "ask", reason = "{{ used }} pages in ten minutes. Go on?" }
"#,
    build: Build::WithHost(build),
};

/// Limits how often or how long something happens, or what it costs.
///
/// ```toml
/// [[hook]]
/// id = "not-too-many"
/// event = "pre_tool_use"
/// tool = "WebFetch"
/// builtin = { name = "limit", of = "calls", over = 20, per = "10m", then = "ask", reason = "{{ used }} pages in ten minutes. Go on?" }
///
/// [[hook]]
/// id = "budget"
/// event = ["post_llm_response", "pre_llm_request"]
/// builtin = { name = "limit", of = "cost", over = 2.50 }
///
/// [[hook]]
/// id = "half-an-hour"
/// event = "pre_tool_use"
/// builtin = { name = "limit", of = "time", over = "30m", per = "turn" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `of` | string, required | `calls`, `tokens`, `cost` or `time` |
/// | `over` | integer, number or duration, required | how much passes; a duration for `time` |
/// | `per` | string, `session` | `session`, `turn`, or a duration: a window that moves along |
/// | `then` | string | `ask`, `deny` or `halt`; `halt` by default, `deny` where nothing can be halted |
/// | `reason` | string or template | the reason; it also knows `used` and `over` |
///
/// | `of` | what is counted |
/// |---|---|
/// | `calls` | the steps that the hook matches; one that is evaluated again, after a rewrite or an approval, counts once |
/// | `tokens` | `usage` of each `post_llm_response`: the total, or what goes in and comes out, under the names of the providers |
/// | `cost` | `cost` of each `post_llm_response`, in the unit of the runtime; also `cost_usd`, `total_cost`, `total_cost_usd`, `costUSD`, there or in its `usage` |
/// | `time` | what has passed since the first step of the session or turn that the hook matched |
///
/// While the amount is not above `over` it has no opinion. It is refused at events at which its
/// decision is not known, except that `tokens` and `cost` must be counted at `post_llm_response`; a
/// hook without that event is an error of the config. A response that does not say what it took, and
/// that is no error, is a failure of the class `unclear`.
///
/// Most coding agents have no such event. Where the facts of a step name a transcript (`transcript_path`), the
/// other events of the hook read there what the session has used: Claude Code, Codex, Gemini CLI and Qwen Code
/// write their tokens there. What it says only grows: a transcript that says less than before, or that is gone, is
/// a failure of the class `state`. One that cannot be read, in which the model has answered and no figure is, or
/// that still says nothing after ten steps, is a failure of the class `unclear`; none of these agents writes a cost.
///
/// A limit belongs to its hook: one count for all its events. It is kept in the
/// [state](crate::Host::state) of the host, if it has one: then it outlives the process, and of several
/// processes that come to the limit together only one is the last that passes. What cannot be read or kept there
/// is a failure of the class `state`. Without one it is kept in memory, over a reload of the config, of
/// 10,000 sessions, and forgotten with the process. A window is cut into 60 pieces; a step counts for the
/// whole window and at most one piece longer.
///
/// ```
/// use hookgate_builtin::Limit;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict, VerdictDecision};
///
/// let call = ToolCall::new("WebFetch", serde_json::json!({"url": "https://docs.rs"}));
/// let context = StepContext::new("session-1");
/// let limit = Limit::calls(1).per_turn().then(VerdictDecision::Ask);
/// let step = |id| {
///     let id = StepId::new(Some(id), String::new);
///     limit.handle(Invocation::new("not-too-many", &Envelope::new(&call, &context, &id, 1, 64 * 1024)))
/// };
/// assert_eq!(step("step-1"), Ok(Verdict::none()));
/// assert_eq!(step("step-1"), Ok(Verdict::none()), "it is the same step");
/// assert_eq!(step("step-2"), Ok(Verdict::ask("the limit of 1 calls per turn is reached")));
/// ```
pub struct Limit {
    of: Measure,
    over: f64,
    per: Period,
    then: Option<VerdictDecision>,
    reason: Option<Reasoned>,
    usages: Kept<Usage>,
    /// What time it is; that of the machine if it is not given.
    clock: Option<Clock>,
}

/// What an amount is counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Session,
    Turn,
    Window(Duration),
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session => f.write_str("session"),
            Self::Turn => f.write_str("turn"),
            Self::Window(window) => write!(f, "{window:?}"),
        }
    }
}

impl fmt::Debug for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limit")
            .field("of", &self.of)
            .field("over", &self.over)
            .field("per", &self.per)
            .field("then", &self.then)
            .finish_non_exhaustive()
    }
}

impl Limit {
    /// Lets this many steps pass.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody counts to 2^53")]
    pub fn calls(over: u64) -> Self {
        Self::new(Measure::Calls, over as f64)
    }

    /// Lets this many tokens pass.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nobody counts to 2^53")]
    pub fn tokens(over: u64) -> Self {
        Self::new(Measure::Tokens, over as f64)
    }

    /// Lets this much be spent, in the unit of the runtime.
    #[must_use]
    pub fn cost(over: f64) -> Self {
        Self::new(Measure::Cost, over)
    }

    /// Lets this much time pass.
    #[must_use]
    pub fn time(over: Duration) -> Self {
        Self::new(Measure::Time, over.as_secs_f64())
    }

    fn new(of: Measure, over: f64) -> Self {
        Self {
            of,
            over,
            per: Period::Session,
            then: None,
            reason: None,
            usages: Kept::new("limit", MAX_SESSIONS),
            clock: None,
        }
    }

    /// Counts for each turn.
    #[must_use]
    pub fn per_turn(self) -> Self {
        Self { per: Period::Turn, ..self }
    }

    /// Counts what happened in the last so much time. It means nothing for a limit of time.
    #[must_use]
    pub fn per_window(self, window: Duration) -> Self {
        Self { per: Period::Window(window), ..self }
    }

    /// Counts in the state of a host, if it has one. What is counted and for what is a part of the key, so that
    /// another limit of the same hook begins anew.
    #[must_use]
    fn in_state(self, home: Option<Arc<dyn StateHome>>) -> Self {
        let kind = format!("limit of {} per {}", self.of.name(), self.per);
        Self { usages: Kept::new(kind, MAX_SESSIONS).in_home(home), ..self }
    }

    /// Sets what happens beyond the limit.
    #[must_use]
    pub fn then(self, decision: VerdictDecision) -> Self {
        Self { then: Some(decision), ..self }
    }

    /// Sets the reason.
    #[must_use]
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(Reasoned::fixed(Verdict::halt(reason.into()))), ..self }
    }

    /// Counts a step, and returns how much it is now.
    fn used(&self, invocation: Invocation<'_>) -> Result<f64, Failure> {
        let reading = self.of.reading(invocation)?;
        let context = invocation.context();
        let now = match &self.clock {
            Some(clock) => Some(clock().duration_since(UNIX_EPOCH).unwrap_or_default()),
            None => system::unix_time(),
        };
        let now = match now {
            Some(now) => now,
            // A count that is kept for good needs no clock; a time that stands still would never be over.
            None if self.of == Measure::Time || matches!(self.per, Period::Window(_)) => {
                return Err(Failure::new(FailureClass::Spawn, NO_CLOCK));
            }
            None => Duration::ZERO,
        };
        let session = StateScope::Session(context.session_id);
        self.usages.update(session, invocation.hook, |usage| {
            if self.per == Period::Turn {
                usage.at_turn(context.turn);
            }
            let amount = match reading {
                Reading::Total(total) => usage.seen(total)?,
                Reading::Adds(amount) if usage.counted.is_new(&invocation) => amount,
                Reading::Adds(_) => 0.0,
            };
            Ok(match (self.of, self.per) {
                (Measure::Time, _) => usage.passed(now).as_secs_f64(),
                (_, Period::Window(window)) => usage.add_in_window(amount, now, window),
                _ => usage.add(amount),
            })
        })?
    }

    fn verdict(&self, invocation: Invocation<'_>, used: f64) -> Verdict {
        let contract = invocation.contract();
        let by_event = if contract.halt { VerdictDecision::Halt } else { VerdictDecision::Deny };
        let decision = self.then.unwrap_or(by_event);
        // Where tokens are counted the decision may not be known; it follows at the next event.
        if !contract.allows(decision) {
            return Verdict::none();
        }
        let over = self.of.display(self.over);
        let mut verdict = match &self.reason {
            Some(reason) => {
                let used = Value::from(self.of.display(used));
                reason.verdict_with(invocation, [("used", used), ("over", Value::from(over))])
            }
            None => Verdict::halt(format!("the limit of {over} per {} is reached", self.per)),
        };
        if let Some(parts) = verdict.parts_mut() {
            parts.decision = Some(decision);
        }
        verdict
    }
}

impl SyncHandler for Limit {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let used = self.used(invocation)?;
        Ok(if used > self.over { self.verdict(invocation, used) } else { Verdict::none() })
    }
}

impl From<Limit> for BuiltHandler {
    fn from(handler: Limit) -> Self {
        let by_response = matches!(handler.of, Measure::Tokens | Measure::Cost);
        let supports: Supports = match handler.then {
            None => can_stop,
            Some(VerdictDecision::Ask) if by_response => can_ask_or_count,
            Some(VerdictDecision::Ask) => can_ask,
            Some(VerdictDecision::Halt) => can_halt,
            Some(_) => can_end,
        };
        // The same identity for all: the count goes on when the config is loaded again.
        let built = Self::from_sync(handler).role(Role::Guard).supports(supports);
        built.identity("sessions").keeps_state()
    }
}

fn can_limit(contract: &Contract) -> Result<(), &'static str> {
    can_stop(contract).or_else(|why| can_ask_or_count(contract).map_err(|_| why))
}

fn can_ask_or_count(contract: &Contract) -> Result<(), &'static str> {
    if contract.event == Event::PostLlmResponse { Ok(()) } else { can_ask(contract) }
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let of = settings.choice("of", MEASURES, Measure::from_name);
    if !settings.has("of") {
        settings.missing("of");
    }
    let over = measure::read_over(settings, of);
    let per = read_period(settings, of);
    let then = settings.choice("then", DECISIONS, VerdictDecision::from_name);
    let reason = match settings.text("reason") {
        Some(text) => {
            Some(Reasoned::read(settings, context, text, &["used", "over"], Verdict::halt)?)
        }
        None => None,
    };
    let limit = Limit { per: per?, then, reason, ..Limit::new(of?, over?) };
    check_events(settings, &limit, context.events)?;
    let limit = Limit { clock: host.clock.clone(), ..limit.in_state(host.state.clone()) };
    Some(limit.into())
}

fn read_period(settings: &mut Settings<'_>, of: Option<Measure>) -> Option<Period> {
    match settings.text("per") {
        None if settings.has("per") => None,
        None | Some("session") => Some(Period::Session),
        Some("turn") => Some(Period::Turn),
        Some(_) if of == Some(Measure::Time) => {
            settings.invalid("per", "time passes per `session` or per `turn`");
            None
        }
        Some(text) if !text.starts_with(|first: char| first.is_ascii_digit()) => {
            let problem = format!("`{text}` is not `session`, `turn` or a duration such as `10m`");
            settings.invalid("per", problem);
            None
        }
        Some(_) => settings.duration("per").map(Period::Window),
    }
}

/// A limit of tokens must hear of them, and be able to act on them.
fn check_events(settings: &mut Settings<'_>, limit: &Limit, events: &[Event]) -> Option<()> {
    if events.is_empty() || !matches!(limit.of, Measure::Tokens | Measure::Cost) {
        return Some(());
    }
    if !events.contains(&Event::PostLlmResponse) {
        let problem = "it is counted at `post_llm_response`: add that to `event`";
        settings.invalid("of", problem);
        return None;
    }
    if limit.then == Some(VerdictDecision::Ask) && events.len() == 1 {
        let problem = "the user cannot be asked at `post_llm_response`: add an event at which that \
                       is possible, such as `pre_tool_use`";
        settings.invalid("then", problem);
        return None;
    }
    Some(())
}
