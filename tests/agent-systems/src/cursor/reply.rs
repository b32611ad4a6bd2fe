//! What the run of one hook comes to.

use serde_json::{Map, Value};

use super::answer::{self, Malformed};
use super::config::{fails_closed, loop_limit};
use super::event::CursorEvent;
use super::source::Source;
use crate::foreign::{
    Audience, ForeignHook, ForeignVerdict, HookResult, HookStatus, RawRun, RunEnd,
};

/// Reads the run of a hook.
pub(super) fn read(
    event: CursorEvent,
    hook: &ForeignHook,
    input: &Map<String, Value>,
    run: &RawRun,
) -> HookResult {
    let loops = input.get("loop_count").and_then(Value::as_u64).unwrap_or_default();
    let reader =
        Reader { event, hook, input, may_loop: loop_limit(hook).is_none_or(|limit| loops < limit) };
    match &run.end {
        RunEnd::Exited(0) | RunEnd::InputNotRead(0) => reader.answer(run),
        RunEnd::Exited(2) | RunEnd::InputNotRead(2) => reader.exit_2(run),
        RunEnd::Exited(code) | RunEnd::InputNotRead(code) => {
            reader.failed(HookStatus::Error(format!("the hook ended with status {code}")))
        }
        RunEnd::Signalled(signal) => {
            reader.failed(HookStatus::Error(format!("the hook was ended by signal {signal}")))
        }
        RunEnd::NotStarted(why) => {
            reader.failed(HookStatus::Error(format!("the hook could not be started: {why}")))
        }
        RunEnd::TimedOut => {
            let seconds = hook.timeout.as_secs_f64();
            reader.failed(HookStatus::Timeout(format!("the hook took longer than {seconds} s")))
        }
        RunEnd::Opinion(opinion) => reader.opinion(opinion),
        RunEnd::Unreachable(why) => {
            reader.failed(HookStatus::Error(format!("the model could not be reached: {why}")))
        }
        RunEnd::Answered(_) | RunEnd::Called(_) | RunEnd::NotConnected => {
            reader.failed(HookStatus::Error("Cursor has no hooks of this kind".to_owned()))
        }
    }
}

/// Reads the run of one hook.
struct Reader<'a> {
    event: CursorEvent,
    hook: &'a ForeignHook,
    input: &'a Map<String, Value>,
    may_loop: bool,
}

impl Reader<'_> {
    /// A failure: the action goes on, unless the hook wants it otherwise.
    fn failed(&self, status: HookStatus) -> HookResult {
        if !fails_closed(&self.hook.options) || !self.event.can_block() {
            return HookResult::new(status);
        }
        let (HookStatus::Error(why) | HookStatus::Timeout(why)) = status else {
            return HookResult::new(status);
        };
        blocked(format!("{why}, and the hook fails closed"))
    }

    fn fields(&self, run: &RawRun) -> Result<Map<String, Value>, Malformed> {
        let text = run.stdout_text();
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if text.is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(mut fields)) => {
                if Source::of(&self.hook.layer).is_claude() {
                    answer::from_claude(&mut fields);
                }
                Ok(fields)
            }
            _ => Err(Malformed("it is no JSON object".to_owned())),
        }
    }

    fn answer(&self, run: &RawRun) -> HookResult {
        let read = self
            .fields(run)
            .and_then(|fields| answer::read(self.event, &fields, self.input, self.may_loop));
        match read {
            Ok(result) => result,
            Err(Malformed(why)) => {
                self.failed(HookStatus::Error(format!("the answer cannot be read: {why}")))
            }
        }
    }

    /// The status 2 says no. The texts of an answer count, else what was written to stderr.
    fn exit_2(&self, run: &RawRun) -> HookResult {
        let stderr = run.stderr_text().trim().to_owned();
        if !self.event.can_block() {
            let is_stop = matches!(self.event, CursorEvent::Stop | CursorEvent::SubagentStop);
            if is_stop && Source::of(&self.hook.layer).is_claude() && !stderr.is_empty() {
                let mut result = HookResult::new(HookStatus::Ok);
                answer::keep_going(stderr, self.may_loop, &mut result);
                return result;
            }
            return HookResult::new(HookStatus::Error(format!("nothing to block here: {stderr}")));
        }
        let mut result = HookResult::new(HookStatus::Blocked);
        result.verdict = ForeignVerdict::Deny;
        answer::say(&self.fields(run).unwrap_or_default(), &mut result);
        if result.reason.is_none() && !stderr.is_empty() {
            result.reason = Some(stderr);
            result.reason_to = Some(Audience::Model);
        }
        result
    }

    /// What a model says: whether the action is right.
    fn opinion(&self, opinion: &Value) -> HookResult {
        let reason = opinion.get("reason").and_then(Value::as_str).map(str::to_owned);
        match opinion.get("ok") {
            Some(Value::Bool(true)) => HookResult::new(HookStatus::Ok),
            Some(Value::Bool(false)) if self.event.can_block() => {
                let mut result = blocked(reason.unwrap_or_else(|| "a prompt hook said no".into()));
                result.shown_to_user.clone_from(&result.reason);
                result
            }
            Some(Value::Bool(false)) => {
                let mut result = HookResult::new(HookStatus::Ok);
                let is_stop = matches!(self.event, CursorEvent::Stop | CursorEvent::SubagentStop);
                match reason {
                    Some(reason) if is_stop => {
                        answer::keep_going(reason, self.may_loop, &mut result);
                    }
                    _ => result.status = HookStatus::Ignored,
                }
                result
            }
            _ => self.failed(HookStatus::Error("the model gave no `ok`".to_owned())),
        }
    }
}

fn blocked(reason: String) -> HookResult {
    let mut result = HookResult::new(HookStatus::Blocked);
    result.verdict = ForeignVerdict::Deny;
    result.reason = Some(reason);
    result.reason_to = Some(Audience::Model);
    result
}
