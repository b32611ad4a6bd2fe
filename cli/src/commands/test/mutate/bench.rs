//! Runs the cases of a policy against a change.

use std::sync::Arc;
use std::time::SystemTime;

use hookgate::{ConfigHash, HandlerTable, HookSpec, Registry};

use super::policy::Policy;
use crate::abort::Abort;
use crate::commands::test::case_run::Bench;
use crate::config;

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// A case failed.
    Caught,
    /// All cases passed.
    Survived,
    /// The policy does not load with it.
    NotLoaded,
    /// The policy is the same with it.
    Same,
}

/// A policy whose cases were run without a change.
pub(super) struct Subject {
    pub(super) policy: Policy,
    hash: ConfigHash,
    sections: Vec<String>,
    /// The policy as it is, at each time at which cases are.
    bases: Vec<Base>,
    /// Whether each case needs a table of its own.
    apart: bool,
    /// The first case that fails without a change.
    failed: Option<String>,
}

/// The policy as it is, with what its hooks were made of.
struct Base {
    now: Option<SystemTime>,
    registry: Registry,
    table: Arc<HandlerTable>,
}

impl Subject {
    /// Runs the cases of a policy as it is.
    ///
    /// # Errors
    /// The policy cannot be loaded any more.
    pub(super) async fn of(policy: Policy) -> Result<Self, Abort> {
        let hash = policy.table.config_hash();
        let mut bases: Vec<Base> = Vec::new();
        for case in &policy.cases {
            if bases.iter().all(|base| base.now != case.now) {
                let registry = config::registry_at(case.now);
                let table = Arc::new(policy.configs.load_quietly(&registry)?);
                bases.push(Base { now: case.now, registry, table });
            }
        }
        let sections = config::registry().sections();
        let sections = sections.iter().map(|section| section.name().to_owned()).collect();
        let mut subject = Self { policy, hash, sections, bases, apart: false, failed: None };
        let run = subject.first_failed(None).await?;
        if matches!(run, Run::Failed(_)) {
            // A case may depend on the name of its session: then each gets a table of its own.
            subject.apart = true;
            if let Run::Failed(name) = subject.first_failed(None).await? {
                subject.failed = Some(name);
            }
        }
        Ok(subject)
    }

    /// Returns why there is nothing to find out.
    pub(super) fn problem(&self) -> Option<String> {
        match &self.failed {
            Some(name) => Some(format!("the case `{name}` fails without any change")),
            None if self.policy.cases.is_empty() => Some("no case was run".to_owned()),
            None => None,
        }
    }

    /// Returns what becomes of a change.
    ///
    /// # Errors
    /// A case cannot be run at all.
    pub(super) async fn fate(&self, change: usize) -> Result<Fate, Abort> {
        Ok(match self.first_failed(Some(change)).await? {
            Run::Passed => Fate::Survived,
            Run::Failed(_) => Fate::Caught,
            Run::NotLoaded => Fate::NotLoaded,
            Run::Same => Fate::Same,
        })
    }

    /// Runs the cases until one fails. There is one table for all cases at the same time, and each case has sessions
    /// of its own.
    async fn first_failed(&self, change: Option<usize>) -> Result<Run, Abort> {
        let mut benches: Vec<(Option<SystemTime>, Bench)> = Vec::new();
        for (index, case) in self.policy.cases.iter().enumerate() {
            if self.apart {
                benches.clear();
            }
            let at = match benches.iter().position(|(now, _)| *now == case.now) {
                Some(at) => at,
                None => {
                    let Some(bench) = self.bench(change, case.now)? else {
                        return Ok(Run::NotLoaded);
                    };
                    if change.is_some() && bench.hash() == self.hash {
                        return Ok(Run::Same);
                    }
                    benches.push((case.now, bench));
                    benches.len().saturating_sub(1)
                }
            };
            let Some((_, bench)) = benches.get(at) else { continue };
            // What a table remembers is kept by the session.
            let apart = match (self.apart, change) {
                (true, _) => String::new(),
                (false, Some(change)) => format!(" of case {index} with change {change}"),
                (false, None) => format!(" of case {index}"),
            };
            if !bench.run(case, &apart).await?.differences.is_empty() {
                return Ok(Run::Failed(case.name.clone()));
            }
        }
        Ok(Run::Passed)
    }

    /// Loads the policy, with a change or without; `None` if it does not load with it.
    fn bench(
        &self,
        change: Option<usize>,
        now: Option<SystemTime>,
    ) -> Result<Option<Bench>, Abort> {
        let base = self.bases.iter().find(|base| base.now == now).filter(|_| !self.apart);
        if let Some(base) = base {
            let spec = change.map(|change| self.changed_hook(base, change));
            match spec {
                None => return Ok(Bench::with(&base.table, None, false).ok()),
                // Most changes are within one hook: only that one is read again.
                Some(Some(spec)) => {
                    if let Ok(bench) = Bench::with(&base.table, Some(&spec), false) {
                        return Ok(Some(bench));
                    }
                }
                Some(None) => {}
            }
        }
        let registry = config::registry_at(now);
        let changed = change.and_then(|change| {
            let (file, change) = self.policy.changes.get(change)?;
            let file = self.policy.file(*file)?;
            Some((file.path.as_path(), change.apply(&file.root)))
        });
        let configs = &self.policy.configs;
        let table = match changed {
            None => Some(configs.load_quietly(&registry)?),
            Some((path, root)) => configs.load_changed(&registry, path, &root).ok(),
        };
        table.map(|table| Bench::new(table, false)).transpose()
    }

    /// Reads the hook that a change is made in; `None` if it has to be read with all others.
    fn changed_hook(&self, base: &Base, change: usize) -> Option<HookSpec> {
        let (file, change) = self.policy.changes.get(change)?;
        let file = self.policy.file(*file)?;
        let root = change.apply_to_hook(&file.root, &self.sections)?;
        let text = (file.path.as_path(), file.text.as_str());
        let read =
            self.policy.configs.read_changed(&base.registry, file.layer, text, &root).ok()?;
        let mut specs = read.table().specs();
        let spec = specs.next()?.clone();
        if specs.next().is_some() {
            // A hook on trial is two.
            return None;
        }
        let mut same = base.table.specs().filter(|known| known.id() == spec.id());
        let known = same.next()?;
        let is_it = same.next().is_none() && known.origin().layer() == spec.origin().layer();
        is_it.then_some(spec)
    }
}

/// How a run of the cases ended.
enum Run {
    Passed,
    /// This case failed.
    Failed(String),
    NotLoaded,
    Same,
}
