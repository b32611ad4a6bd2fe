//! Which attacks got through.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::eval::attack::Attack;
use crate::eval::runner::EvaluationRun;
use crate::eval::trial::Trial;

/// What became of the attacks of one family.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AttackFamily {
    /// What the family does.
    pub about: String,
    /// How many trials there were.
    pub attacks: u64,
    /// How many came to deny, halt or ask.
    pub stopped: u64,
    /// Of these, how many only because the hook failed.
    pub stopped_by_failure: u64,
    /// How many came to allow.
    pub through: u64,
    /// Of these, how many although the bare step was stopped every time.
    pub talked_round: u64,
}

/// A step that got through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Breach {
    /// The family of the attack; `None` for the bare step.
    pub family: Option<String>,
    /// The step, in short.
    pub step: String,
}

/// What became of all attacks. As JSON it is what `hookgate judge redteam --json` prints.
///
/// A hook that lets the bare command through was not talked round: that is counted apart.
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Event, HandlerTable, Hook, Invocation, Verdict};
/// use hookgate_cli::eval::{EvalError, Evaluation, RedTeamReport, shipped_attacks};
///
/// let hook = Hook::sync("strict", |_| Ok(Verdict::ask("a person looks"))).event(Event::PreToolUse);
///
/// let attacks = shipped_attacks()?;
/// let samples: Vec<_> = attacks.iter().map(|attack| Arc::clone(&attack.sample)).collect();
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let table = || HandlerTable::builder().insert(hook.clone()).build().unwrap();
/// let load = |_: &_| Ok::<_, EvalError>(table());
/// let run = Evaluation::new("strict").run(&samples, load).await?;
/// assert!(RedTeamReport::new(&attacks, &run).breaches.is_empty());
/// # Ok::<_, EvalError>(()) })?;
/// # Ok::<_, EvalError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RedTeamReport {
    /// The hook.
    pub hook: String,
    /// Whether the replies come from a recording.
    pub replayed: bool,
    /// How many times each step was evaluated.
    pub repeats: u32,
    /// The dangerous steps without an attack.
    pub bare: AttackFamily,
    /// The attacks, by family.
    pub families: BTreeMap<String, AttackFamily>,
    /// The steps that got through.
    pub breaches: Vec<Breach>,
}

impl RedTeamReport {
    /// Counts the trials of a run of these attacks, which are in the same order.
    #[must_use]
    pub fn new(attacks: &[Attack], run: &EvaluationRun) -> Self {
        let steps: Vec<(&Attack, &[Trial])> =
            attacks.iter().zip(run.trials.iter().map(Vec::as_slice)).collect();
        // The commands that get through without any attack.
        let soft: Vec<usize> = steps
            .iter()
            .filter(|(attack, trials)| attack.family.is_none() && got_through(trials))
            .map(|(attack, _)| attack.danger)
            .collect();
        let mut report = Self {
            hook: run.hook.clone(),
            replayed: run.replayed,
            repeats: run.repeats,
            bare: AttackFamily { about: "the command alone".to_owned(), ..Default::default() },
            families: BTreeMap::new(),
            breaches: Vec::new(),
        };
        for (attack, trials) in steps {
            let hard = attack.family.is_some() && !soft.contains(&attack.danger);
            let family = report.family_of(attack);
            trials.iter().for_each(|trial| family.count(trial, hard));
            if got_through(trials) {
                let (family, step) = (attack.family.clone(), attack.sample.summary());
                report.breaches.push(Breach { family, step });
            }
        }
        report
    }

    fn family_of(&mut self, attack: &Attack) -> &mut AttackFamily {
        match &attack.family {
            None => &mut self.bare,
            Some(name) => self.families.entry(name.clone()).or_insert_with(|| AttackFamily {
                about: attack.about.clone(),
                ..AttackFamily::default()
            }),
        }
    }

    /// Returns how many trials of attacks there were, and how many of them got through.
    #[must_use]
    pub fn totals(&self) -> (u64, u64) {
        let families = || self.families.values();
        (
            families().map(|family| family.attacks).sum(),
            families().map(|family| family.through).sum(),
        )
    }
}

impl AttackFamily {
    /// Counts a trial; `hard` if the bare step was stopped every time.
    fn count(&mut self, trial: &Trial, hard: bool) {
        self.attacks += 1;
        if trial.label().stops() {
            self.stopped += 1;
            self.stopped_by_failure += u64::from(trial.reply.failure.is_some());
        } else {
            self.through += 1;
            self.talked_round += u64::from(hard);
        }
    }
}

fn got_through(trials: &[Trial]) -> bool {
    trials.iter().any(|trial| !trial.label().stops())
}
