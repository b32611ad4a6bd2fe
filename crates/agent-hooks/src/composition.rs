//! How the verdicts of several interceptors become one.
//!
//! The engine decides: it calls the interceptors in order, stops where the profile says so, and returns
//! one decision. Here it is told in the words of the standard which verdict that was.

use hookgate::decision::{Vote, VoteOutcome};
use hookgate::{Outcome, Report};
use hookgate_contract::{FailureClass, VerdictDecision};

use crate::interceptor::watcher;
use crate::profile::{EnforcementMode, Profile};
use crate::reserved::Reserved;
use crate::verdict::{InterceptorVerdict, Warning, WireDecision};

/// The id under which the engine denies where a guard is missing.
const REQUIRE: &str = "require";

/// What one interceptor said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// Its place in the order of registration.
    pub(crate) index: usize,
    pub(crate) verdict: InterceptorVerdict,
    /// Whether it wanted a change that could not be made.
    pub(crate) rewrite_failed: bool,
}

/// What all of them said, put together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Combined {
    pub(crate) verdict: InterceptorVerdict,
    pub(crate) decided_by: Option<usize>,
}

/// Reads from a report what each interceptor said, in order. One that was not called is missing.
pub(crate) fn said(report: &Report, names: &[String]) -> Vec<Said> {
    let vote_of = |name: &String| {
        let watcher = watcher(name);
        let own = |vote: &&Vote| vote.hook == *name || vote.hook == watcher;
        report.votes.iter().filter(|vote| vote.round == 1).find(own)
    };
    let named = names.iter().enumerate();
    named.filter_map(|(index, name)| said_by(index, vote_of(name)?)).collect()
}

fn said_by(index: usize, vote: &Vote) -> Option<Said> {
    let detail = vote.detail.as_deref().unwrap_or_default();
    if vote.outcome == VoteOutcome::Cancelled {
        return None;
    }
    if vote.outcome == VoteOutcome::Failed {
        let reason = Reserved::of_failure(vote.failure, detail);
        let class = vote.failure.map(FailureClass::name).map(str::to_owned);
        let verdict = InterceptorVerdict::reserved(reason, class);
        return Some(Said { index, verdict, rewrite_failed: reason.is_about_rewrite() });
    }
    let verdict = InterceptorVerdict::from_json(detail.as_bytes());
    let verdict = verdict.unwrap_or_else(|_| of_vote(vote));
    Some(Said { index, verdict, rewrite_failed: false })
}

/// The verdict of a hook that answers in the format of the engine.
fn of_vote(vote: &Vote) -> InterceptorVerdict {
    let reason = vote.reason.clone().unwrap_or_default();
    match vote.decision {
        None | Some(VerdictDecision::Allow) => InterceptorVerdict::allow(),
        Some(VerdictDecision::Ask) => InterceptorVerdict::escalate(reason),
        Some(VerdictDecision::Deny | VerdictDecision::Halt) => InterceptorVerdict::deny(reason),
    }
}

/// Returns the verdict that the decision of the engine is.
pub(crate) fn combined(
    report: &Report,
    said: &[Said],
    names: &[String],
    profile: Profile,
    mode: EnforcementMode,
) -> Combined {
    let decided = |said: &Said| Combined {
        verdict: said.verdict.clone(),
        decided_by: Some(said.index).filter(|_| !said.rewrite_failed),
    };
    let ours = |verdict| Combined { verdict, decided_by: None };
    let by = |said: &&Said| {
        let name = names.get(said.index);
        name.is_some_and(|name| report.by.iter().any(|by| by == name))
    };
    let combined = match report.decision {
        Outcome::Allow if said.is_empty() && names.is_empty() && report.votes.is_empty() => {
            ours(InterceptorVerdict::reserved(Reserved::NoInterceptor, None))
        }
        // Where nothing was cut short, each of them was asked, or its hook is not in the table.
        Outcome::Allow if mode == EnforcementMode::Enforce && said.len() < names.len() => {
            ours(InterceptorVerdict::reserved(Reserved::InterceptorFailed, None))
        }
        // Only recorded: at the end of a session, and if verdicts do not count.
        Outcome::Allow => match strictest(said, profile) {
            Some(said) => decided(said),
            None => ours(InterceptorVerdict::allow()),
        },
        Outcome::Answered => ours(InterceptorVerdict::deny(
            "hookgate: a hook supplied the result, which AGENT-HOOKS has no verdict for",
        )),
        Outcome::Ask => match said.iter().filter(by).find(|said| said.verdict.is_liftable()) {
            Some(said) => decided(said),
            None => ours(InterceptorVerdict::escalate(reason_of(report))),
        },
        Outcome::Cancelled => ours(InterceptorVerdict::deny(reason_of(report))),
        Outcome::Deny | Outcome::Halt => {
            let mut denies = said.iter().filter(by).filter(|said| !said.verdict.permits());
            match denies.clone().find(|said| !said.verdict.is_liftable()).or(denies.next()) {
                Some(said) => decided(said),
                None if report.by.iter().any(|by| by == REQUIRE) => {
                    ours(InterceptorVerdict::reserved(Reserved::NoInterceptor, None))
                }
                None => ours(InterceptorVerdict::deny(reason_of(report))),
            }
        }
    };
    Combined { verdict: united(combined.verdict, said), ..combined }
}

/// The reason of a decision of the host's own guards.
fn reason_of(report: &Report) -> String {
    let by: Vec<&str> = report.by.iter().map(|id| id.as_str()).collect();
    match &report.reason {
        Some(reason) if by.is_empty() => format!("hookgate: {reason}"),
        Some(reason) => format!("hookgate: {reason} (by {})", by.join(", ")),
        None => format!("hookgate: by {}", by.join(", ")),
    }
}

/// The verdict that counts of those that no decision of the engine was made of: the first deny, or under
/// `run_all` the first of the strictest; without a deny the last change.
fn strictest(said: &[Said], profile: Profile) -> Option<&Said> {
    let mut denies = said.iter().filter(|said| !said.verdict.permits());
    let plain = denies.clone().find(|said| !said.verdict.is_liftable());
    let deny = match profile {
        Profile::FirstDeny => denies.next(),
        Profile::RunAll => plain.or(denies.next()),
    };
    let changes = |said: &&Said| said.verdict.decision == WireDecision::Transform;
    deny.or_else(|| said.iter().rev().find(changes))
}

/// Adds the warnings of all, and, if the action goes on, the labels of those who permit it.
pub(crate) fn united(mut verdict: InterceptorVerdict, said: &[Said]) -> InterceptorVerdict {
    let mut warnings: Vec<Warning> = Vec::new();
    let all = said.iter().flat_map(|said| &said.verdict.warnings);
    for warning in all.chain(&verdict.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    let mut labels: Vec<String> = Vec::new();
    if verdict.permits() {
        let permitting = said.iter().filter(|said| said.verdict.permits());
        let all = permitting.flat_map(|said| &said.verdict.result_labels);
        for label in all.chain(&verdict.result_labels) {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
    }
    verdict.warnings = warnings;
    verdict.result_labels = labels;
    verdict
}
