//! Several samples, one outcome.

use hookgate_contract::{Failure, FailureClass, VerdictDecision};

use crate::outcome::{Outcome, Took};
use crate::shape::Finding;

/// The finding on which enough samples agree. Where none has enough, nobody can tell.
pub(crate) fn count(samples: Vec<Outcome>, agree: u32) -> Outcome {
    let mut took = Took::default();
    for sample in &samples {
        took.add(sample.took);
    }
    let fallback = samples.iter().any(|sample| sample.fallback);
    let winner = samples.iter().find(|sample| {
        sample.finding.as_ref().is_ok_and(|finding| {
            let same = samples.iter().filter(|other| same(finding, other)).count();
            same >= agree as usize
        })
    });
    let mut outcome = match winner {
        Some(winner) => winner.clone(),
        None => undecided(&samples, agree),
    };
    outcome.took = took;
    outcome.fallback = fallback;
    outcome
}

/// Decisions are the same whatever their reasons are.
fn same(finding: &Finding, other: &Outcome) -> bool {
    let Ok(other) = &other.finding else { return false };
    match (finding, other) {
        (Finding::Allow(_), Finding::Allow(_))
        | (Finding::Deny(_), Finding::Deny(_))
        | (Finding::Ask(_), Finding::Ask(_)) => true,
        _ => finding == other,
    }
}

fn undecided(samples: &[Outcome], agree: u32) -> Outcome {
    let answered = samples.iter().filter(|sample| sample.finding.is_ok()).count();
    // Too many failures to agree: that is what is wrong, not the question.
    if answered < agree as usize
        && let Some(failed) = samples.iter().find(|sample| sample.finding.is_err())
    {
        // The failures of the others must not hide what one of them said.
        return salvaged(failed.clone(), samples.iter().filter_map(said).max());
    }
    let damaged = samples.iter().filter(|sample| sample.finding.is_err()).filter_map(said).max();
    let detail = format!("of {} samples no {agree} agree", samples.len());
    let failure = Failure::new(FailureClass::Unsure, detail);
    match samples.first() {
        Some(first) => salvaged(Outcome { finding: Err(failure), ..first.clone() }, damaged),
        None => Outcome::failed(failure),
    }
}

/// The ask or deny of a sample, also one that stands in what could not be read.
fn said(sample: &Outcome) -> Option<VerdictDecision> {
    match &sample.finding {
        Ok(finding) => finding.word().filter(|word| *word > VerdictDecision::Allow),
        Err(failure) => failure.salvaged,
    }
}

fn salvaged(mut outcome: Outcome, word: Option<VerdictDecision>) -> Outcome {
    if let Err(failure) = &mut outcome.finding {
        failure.salvaged = failure.salvaged.max(word);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(finding: Result<Finding, FailureClass>) -> Outcome {
        let finding = finding.map_err(|class| Failure::new(class, ""));
        let took = Took { calls: 1, ..Took::default() };
        Outcome { finding, took, ..Outcome::failed(Failure::new(FailureClass::Panic, "")) }
    }

    fn counted(findings: &[Result<Finding, FailureClass>], agree: u32) -> String {
        let outcome = count(findings.iter().cloned().map(outcome).collect(), agree);
        assert_eq!(outcome.took.calls as usize, findings.len());
        match outcome.finding {
            Ok(Finding::Allow(_)) => "allow".into(),
            Ok(Finding::Deny(reason)) => format!("deny {reason}"),
            Ok(_) => "other".into(),
            Err(failure) => failure.class.name().into(),
        }
    }

    #[test]
    fn enough_must_agree() {
        let deny = |reason: &str| Ok(Finding::Deny(reason.to_owned()));
        let (allow, lost) = (Ok(Finding::Allow("x".into())), Err(FailureClass::Malformed));
        assert_eq!(counted(&[allow.clone(), deny("a"), deny("b")], 2), "deny a");
        assert_eq!(counted(&[allow.clone(), allow.clone(), deny("b")], 2), "allow");
        assert_eq!(counted(&[allow.clone(), allow.clone(), deny("b")], 3), "unsure");
        assert_eq!(counted(&[allow.clone(), lost.clone(), deny("b")], 2), "unsure");
        assert_eq!(counted(&[allow.clone(), lost.clone(), lost.clone()], 2), "malformed");
        let other = Ok(Finding::Allow("y".into()));
        assert_eq!(counted(&[allow, lost, other], 2), "allow");
    }

    #[test]
    fn a_deny_that_the_failures_of_others_would_hide_stands() {
        let stands = |findings: &[Result<Finding, FailureClass>]| {
            let outcome = count(findings.iter().cloned().map(outcome).collect(), 2);
            outcome.finding.unwrap_err().salvaged
        };
        let (deny, lost) = (Ok(Finding::Deny("a".into())), Err(FailureClass::Malformed));
        assert_eq!(
            stands(&[lost.clone(), deny.clone(), lost.clone()]),
            Some(VerdictDecision::Deny)
        );
        assert_eq!(stands(&[lost.clone(), lost.clone(), lost]), None);
        // Where they only disagree nothing was damaged: the judge is unsure.
        let (allow, ask) = (Ok(Finding::Allow("".into())), Ok(Finding::Ask("b".into())));
        assert_eq!(stands(&[allow, deny, ask]), None);
    }
}
