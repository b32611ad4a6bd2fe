//! Self-consistency: several samples of one question, of which enough must agree.
//!
//! A model that is asked twice may decide twice differently. With `samples = 5, agree = 4` a decision
//! counts only if four of five samples have it. `agree` is more than half of `samples`, which the
//! settings ensure, so two decisions cannot both have enough.
//!
//! Three things can come out:
//! * enough samples agree: the first of them, reasons included;
//! * enough samples answered but they disagree: a failure of class `unsure`;
//! * too few samples answered: the failure of the first that failed. A deny or an ask of the others is
//!   kept with it, so that failures cannot hide a deny.

use hookgate_contract::{Failure, FailureClass, VerdictDecision};

use super::finding::Finding;
use super::opinion::{Opinion, Usage};

/// Returns the opinion on which at least `agree` samples agree, or a failure. What all samples used
/// is added up.
pub(crate) fn tally(samples: Vec<Opinion>, agree: u32) -> Opinion {
    let mut usage = Usage::default();
    for sample in &samples {
        usage.add(sample.usage);
    }
    let fallback = samples.iter().any(|sample| sample.fallback);
    let winner = samples.iter().find(|sample| {
        sample.finding.as_ref().is_ok_and(|finding| supporters(&samples, finding) >= agree as usize)
    });
    let mut opinion = match winner {
        Some(winner) => winner.clone(),
        None => undecided(&samples, agree),
    };
    opinion.usage = usage;
    opinion.fallback = fallback;
    opinion
}

/// Counts the samples that agree with a finding.
fn supporters(samples: &[Opinion], finding: &Finding) -> usize {
    let agrees =
        |sample: &&Opinion| sample.finding.as_ref().is_ok_and(|other| finding.agrees_with(other));
    samples.iter().filter(agrees).count()
}

/// Returns the failure of samples without a majority.
fn undecided(samples: &[Opinion], agree: u32) -> Opinion {
    let answered = samples.iter().filter(|sample| sample.finding.is_ok()).count();
    // With too few answers the failures are the problem, not the question.
    if answered < agree as usize
        && let Some(failed) = samples.iter().find(|sample| sample.finding.is_err())
    {
        let strictest = samples.iter().filter_map(strict_decision).max();
        return with_salvaged(failed.clone(), strictest);
    }
    let damaged = samples.iter().filter(|sample| sample.finding.is_err());
    let salvaged = damaged.filter_map(strict_decision).max();
    let detail = format!("of {} samples no {agree} agree", samples.len());
    let failure = Failure::new(FailureClass::Unsure, detail);
    match samples.first() {
        Some(first) => with_salvaged(Opinion { finding: Err(failure), ..first.clone() }, salvaged),
        None => Opinion::failed(failure),
    }
}

/// Returns the ask or deny of a sample, or the one that was salvaged from a refused reply.
fn strict_decision(sample: &Opinion) -> Option<VerdictDecision> {
    match &sample.finding {
        Ok(finding) => finding.decision().filter(|decision| *decision > VerdictDecision::Allow),
        Err(failure) => failure.salvaged,
    }
}

fn with_salvaged(mut opinion: Opinion, decision: Option<VerdictDecision>) -> Opinion {
    if let Err(failure) = &mut opinion.finding {
        failure.salvaged = failure.salvaged.max(decision);
    }
    opinion
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(finding: Result<Finding, FailureClass>) -> Opinion {
        let finding = finding.map_err(|class| Failure::new(class, ""));
        let usage = Usage { calls: 1, ..Usage::default() };
        Opinion { finding, usage, ..Opinion::failed(Failure::new(FailureClass::Panic, "")) }
    }

    fn tallied(findings: &[Result<Finding, FailureClass>], agree: u32) -> String {
        let opinion = tally(findings.iter().cloned().map(opinion).collect(), agree);
        assert_eq!(opinion.usage.calls as usize, findings.len());
        match opinion.finding {
            Ok(Finding::Allow(_)) => "allow".into(),
            Ok(Finding::Deny(reason)) => format!("deny {reason}"),
            Ok(_) => "other".into(),
            Err(failure) => failure.class.name().into(),
        }
    }

    #[test]
    fn enough_must_agree() {
        let deny = |reason: &str| Ok(Finding::Deny(reason.to_owned()));
        let (allow, failed) = (Ok(Finding::Allow("x".into())), Err(FailureClass::Malformed));
        assert_eq!(tallied(&[allow.clone(), deny("a"), deny("b")], 2), "deny a");
        assert_eq!(tallied(&[allow.clone(), allow.clone(), deny("b")], 2), "allow");
        assert_eq!(tallied(&[allow.clone(), allow.clone(), deny("b")], 3), "unsure");
        assert_eq!(tallied(&[allow.clone(), failed.clone(), deny("b")], 2), "unsure");
        assert_eq!(tallied(&[allow.clone(), failed.clone(), failed.clone()], 2), "malformed");
        let other = Ok(Finding::Allow("y".into()));
        assert_eq!(tallied(&[allow, failed, other], 2), "allow");
    }

    #[test]
    fn a_deny_that_the_failures_of_others_would_hide_is_salvaged() {
        let salvaged = |findings: &[Result<Finding, FailureClass>]| {
            let opinion = tally(findings.iter().cloned().map(opinion).collect(), 2);
            opinion.finding.unwrap_err().salvaged
        };
        let (deny, failed) = (Ok(Finding::Deny("a".into())), Err(FailureClass::Malformed));
        assert_eq!(
            salvaged(&[failed.clone(), deny.clone(), failed.clone()]),
            Some(VerdictDecision::Deny)
        );
        assert_eq!(salvaged(&[failed.clone(), failed.clone(), failed]), None);
        // If they only disagree, nothing was damaged: the judge is unsure.
        let (allow, ask) = (Ok(Finding::Allow("".into())), Ok(Finding::Ask("b".into())));
        assert_eq!(salvaged(&[allow, deny, ask]), None);
    }
}
