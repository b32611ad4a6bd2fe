//! Each system does what is measured of it, and one that does not is found out.

use std::any::Any;

use hookgate_peers::call::Call;
use hookgate_peers::hooks::HookSpec;
use hookgate_peers::proof::{ProofError, prove};
use hookgate_peers::rounds::Rounds;
use hookgate_peers::system::{System, Verdict};
use hookgate_peers::work::Work;
use hookgate_peers::{cases, systems};

#[test]
fn every_system_gives_the_same_verdicts_and_runs_its_hooks() {
    for system in systems::all() {
        let proven = prove(system.as_ref()).unwrap_or_else(|error| panic!("{error}"));
        assert!(proven >= 20, "{}: only {proven} calls", system.name());
    }
}

#[test]
fn every_case_runs_as_many_hooks_as_it_says() {
    for case in cases::all().iter().filter(|case| case.work.hooks() <= 100) {
        for system in systems::all() {
            // The rounds count the hooks by themselves, and panic.
            if let Some(rounds) = system.rounds(&case.work) {
                rounds.warm_up(3);
            }
        }
    }
}

#[test]
fn of_hooks_at_all_events_the_one_at_the_event_of_the_call_runs() {
    let hooks = |count| cases::numbered(count, cases::one_each, hookgate_peers::hooks::Act::Silent);
    let all = u32::try_from(hookgate::Event::NAMED.len()).unwrap();
    for (system, events) in systems::all().iter().zip([all, 14, all, 14]) {
        let rounds = system.rounds(&cases::dispatch(hooks(events), 1));
        // The rounds count the hooks by themselves, and panic.
        rounds.unwrap_or_else(|| panic!("{} has fewer events", system.name())).warm_up(3);
        let more = system.rounds(&cases::dispatch(hooks(events + 1), 1));
        assert!(more.is_none(), "{} has more than {events} events", system.name());
    }
}

#[test]
fn a_system_whose_hooks_do_not_run_is_found_out() {
    let error = prove(&Tampered(|judged| judged.1 = 0)).unwrap_err();
    assert!(matches!(error, ProofError::Runs { .. }), "{error}");
}

#[test]
fn a_system_that_lets_everything_through_is_found_out() {
    let error = prove(&Tampered(|judged| judged.0 = Verdict::Allowed)).unwrap_err();
    assert!(matches!(error, ProofError::Verdict { .. }), "{error}");
}

#[test]
#[should_panic(expected = "calls of hooks instead of")]
fn a_case_whose_hooks_do_not_run_cannot_be_measured() {
    let hooks = cases::numbered(1, cases::exact, hookgate_peers::hooks::Act::Silent);
    let work = cases::dispatch(hooks, 1);
    let rounds = systems::all().remove(0).rounds(&work);
    if let Some(rounds) = rounds {
        rounds.warm_up(3);
    }
}

/// hookgate, with what it says changed.
struct Tampered(fn(&mut (Verdict, u64)));

impl System for Tampered {
    fn name(&self) -> &'static str {
        "tampered"
    }

    fn version(&self) -> &'static str {
        ""
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn rounds(&self, work: &Work) -> Option<Rounds> {
        systems::all().remove(0).rounds(work)
    }

    fn making(&self, work: &Work) -> Rounds {
        systems::all().remove(0).making(work)
    }

    fn judge(&self, hooks: &[HookSpec], calls: &[Call]) -> Option<Vec<(Verdict, u64)>> {
        let mut judged = systems::all().remove(0).judge(hooks, calls)?;
        judged.iter_mut().for_each(self.0);
        Some(judged)
    }

    fn kept(&self, _: &[HookSpec], _: Call) -> Option<Box<dyn Any>> {
        None
    }

    fn swapped_meanwhile(&self, _: &[HookSpec], _: Call) -> Option<(Rounds, Rounds)> {
        None
    }
}
