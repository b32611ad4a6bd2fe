//! What was found about a hook and one step, for people and programs.

use std::fmt::Write as _;
use std::sync::Arc;

use anstyle::Style;
use hookgate::decision::Vote;
use hookgate::envelope::Incoming;
use hookgate::table::{ExplainedCondition, ExplainedHook, Origin};
use hookgate::{HandlerTable, HookId, HookSpec, Mode, Outcome, Report};
use serde::Serialize;

use super::because::Because;
use super::reason::{self, Reason};
use crate::explained::write_conditions;
use crate::hook_standing::HookStanding;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, outcome_style};
use crate::terminal::table;

/// Why a hook ran about a step, or not.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) hook: HookId,
    origin: Origin,
    mode: Mode,
    /// The line of the file on which the step begins.
    pub(super) line: u64,
    event: String,
    pub(super) ran: Option<bool>,
    pub(super) because: Because,
    #[serde(skip)]
    pub(super) what: String,
    pub(super) why: String,
    /// The hooks that are meant: those that decided before it, overruled it, or may do so.
    by: Vec<HookId>,
    conditions: Vec<ExplainedCondition>,
    /// Its answers.
    votes: Vec<Vote>,
    /// What became of the step; `None` if no hook was called.
    decision: Option<Outcome>,
    /// How its handler runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Whether `hookgate hook` calls it.
    trust: HookStanding,
    /// The mistake for which it is set aside.
    set_aside: Option<String>,
}

impl Finding {
    /// Returns what is found after the hooks were called.
    pub(super) fn of_report(
        hook: &HookSpec,
        table: &Arc<HandlerTable>,
        conditions: Option<ExplainedHook>,
        report: Report,
        line: u64,
    ) -> Self {
        let event = report.event.clone().unwrap_or_default();
        let before = reason::before_the_call(hook, table, conditions.as_ref(), &event);
        let stop_at = table.limits().stop_at.decision();
        let reason = reason::after_the_call(hook, &report, before, stop_at);
        let votes = report.votes.into_iter().filter(|vote| vote.hook == *hook.id()).collect();
        let decision = Some(report.decision);
        Self { votes, decision, ..Self::new(hook, event, line, reason, conditions) }
    }

    /// Returns what is found without a call.
    pub(super) fn without_report(
        hook: &HookSpec,
        table: &Arc<HandlerTable>,
        conditions: Option<ExplainedHook>,
        step: &Incoming,
        line: u64,
    ) -> Self {
        let event = step.payload.event_name().to_owned();
        let before = reason::before_the_call(hook, table, conditions.as_ref(), &event);
        let reason = before.unwrap_or_else(|| reason::without_a_call(hook, table, &event));
        Self::new(hook, event, line, reason, conditions)
    }

    fn new(
        hook: &HookSpec,
        event: String,
        line: u64,
        reason: Reason,
        conditions: Option<ExplainedHook>,
    ) -> Self {
        let Reason { because, what, why, by } = reason;
        Self {
            hook: hook.id().clone(),
            origin: hook.origin().clone(),
            mode: hook.mode(),
            line,
            event,
            ran: because.ran(),
            because,
            what,
            why,
            by,
            conditions: conditions.map(|explained| explained.conditions).unwrap_or_default(),
            votes: Vec::new(),
            decision: None,
            notes: hook.notes().to_vec(),
            trust: HookStanding::InForce,
            set_aside: hook.why_set_aside().map(str::to_owned),
        }
    }

    /// Says whether `hookgate hook` calls the hook.
    pub(super) fn standing(self, trust: HookStanding) -> Self {
        Self { trust, ..self }
    }

    /// Returns all of it for people.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let (style, mark) = match self.because {
            Because::Decided | Because::Added | Because::Observed | Because::NoOpinion => {
                (GOOD, "✓ it ran")
            }
            Because::Failed => (BAD, "✗ it failed"),
            Because::SetAside => (BAD, "✗ it has a mistake"),
            Because::Would => (DOUBTFUL, "~ it ran, and does not count"),
            Because::Overruled => (DOUBTFUL, "~ it ran, and was overruled"),
            Because::Cancelled => (DOUBTFUL, "~ it was cancelled"),
            Because::Unclear => (DOUBTFUL, "? it cannot be told"),
            Because::Background | Because::Unknown => (DOUBTFUL, "? it left no vote"),
            Because::NotCalled => (GOOD, "✓ it would run"),
            _ => (DIM, "✗ it did not run"),
        };
        let (hook, origin) = (line(self.hook.as_str()), line(&self.origin.to_string()));
        write!(out, "{style}{mark}{style:#}  {BOLD}{hook}{BOLD:#}")?;
        if self.mode != Mode::Enforce {
            write!(out, "  {DOUBTFUL}{}{DOUBTFUL:#}", self.mode.name())?;
        }
        writeln!(out, "  {DIM}{origin}{DIM:#}")?;
        for part in table::wrapped(&line(&self.why), 2, Style::new()) {
            writeln!(out, "{part}")?;
        }
        if self.because == Because::NotCalled && !self.by.is_empty() {
            let before: Vec<&str> = self.by.iter().map(HookId::as_str).collect();
            writeln!(out, "  {DIM}before it:{DIM:#} {}", line(&before.join(", ")))?;
        }
        if self.because != Because::OtherEvent {
            writeln!(out, "{BOLD}conditions{BOLD:#}  {DIM}for the step as it came in{DIM:#}")?;
            write_conditions(&self.conditions, &self.event, out)?;
        }
        if let Some(decision) = self.decision {
            let style = outcome_style(decision);
            let (name, event) = (decision.name(), line(&self.event));
            writeln!(out, "{BOLD}the step{BOLD:#}    {event}: {style}{name}{style:#}")?;
        }
        Ok(())
    }
}
