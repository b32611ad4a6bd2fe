//! The effects of a step, which all conditions share.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hookgate_contract::Envelope;

use super::named_by_globs::{listed, named_by_ending};
use crate::effects::{Effects, PathEffect, Surroundings};
use crate::manifests::Manifests;
use crate::paths::real;

/// The effects of one version of a step.
#[derive(Debug)]
pub(super) struct StepEffects {
    pub(super) effects: Effects,
    /// The folder of the session and the home folder.
    pub(super) around: Surroundings,
    /// The same with links resolved; `None` if no path changes.
    real: OnceLock<Option<Effects>>,
    /// The same with the files that globs name on the disk; `None` if there are none.
    listed: OnceLock<Option<Listed>>,
}

/// Effects with the files that globs name on the disk.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) effects: Effects,
    /// The same with links resolved; `None` if no path changes.
    pub(super) real: Option<Effects>,
}

/// The effects of one version of a step, for each list of manifests and each home that a hook has.
/// There is one of each, unless hooks come from several files.
#[derive(Default)]
struct Computed(Mutex<Vec<Shared>>);

struct Shared {
    manifests: Manifests,
    home: Option<String>,
    effects: Arc<StepEffects>,
}

/// Returns the effects of a step, which are computed once for all hooks.
pub(super) fn effects_of(
    step: &Envelope<'_>,
    manifests: &Manifests,
    home: Option<&str>,
) -> Arc<StepEffects> {
    let computed = step.derived(Computed::default);
    // Two threads that ask at the same time wait for one computation.
    let mut computed = computed.0.lock().unwrap_or_else(PoisonError::into_inner);
    let found = computed
        .iter()
        .find(|shared| shared.manifests.is_same(manifests) && shared.home.as_deref() == home)
        .map(|shared| Arc::clone(&shared.effects));
    found.unwrap_or_else(|| {
        let effects = Arc::new(StepEffects::new(step, manifests, home));
        computed.push(Shared {
            manifests: manifests.clone(),
            home: home.map(str::to_owned),
            effects: Arc::clone(&effects),
        });
        effects
    })
}

impl StepEffects {
    fn new(step: &Envelope<'_>, manifests: &Manifests, home: Option<&str>) -> Self {
        let around = Surroundings {
            cwd: step.context().cwd.map(str::to_owned),
            home: home.map(str::to_owned),
        };
        let effects = step.payload().tool().map_or_else(Effects::default, |call| {
            Effects::of_call(&call.tool_name, &call.tool_input, &around, manifests)
        });
        Self { effects, around, real: OnceLock::new(), listed: OnceLock::new() }
    }

    /// Returns the effects with links resolved; `None` if no path changes. Links are those of this
    /// machine, so they count only if the folder of the session is on it.
    pub(super) fn real(&self) -> Option<&Effects> {
        let resolve = || if self.is_here() { resolved(&self.effects) } else { None };
        self.real.get_or_init(resolve).as_ref()
    }

    /// Returns the effects with the files that globs name on this disk, or what they say if the folder of the session
    /// is on another one; `None` if nothing changes.
    pub(super) fn listed(&self) -> Option<&Listed> {
        let list = || {
            if !self.is_here() {
                let cwd = self.around.cwd.as_deref()?.trim_end_matches('/');
                let effects = named_by_ending(&self.effects, cwd)?;
                return Some(Listed { effects, real: None });
            }
            let effects = listed(&self.effects)?;
            Some(Listed { real: resolved(&effects), effects })
        };
        self.listed.get_or_init(list).as_ref()
    }

    fn is_here(&self) -> bool {
        self.around.cwd.as_deref().is_some_and(|cwd| Path::new(cwd).is_dir())
    }
}

fn resolved(effects: &Effects) -> Option<Effects> {
    let mut changed = false;
    let mut resolve = |list: &[PathEffect]| -> Vec<PathEffect> {
        let resolve_one = |effect: &PathEffect| {
            let walked = effect.climbs.as_ref().unwrap_or(&effect.path);
            let path = real(walked, effect.follows).inspect(|_| changed = true);
            PathEffect { path: path.unwrap_or_else(|| effect.path.clone()), ..effect.clone() }
        };
        list.iter().map(resolve_one).collect()
    };
    let reads = resolve(&effects.reads);
    let writes = resolve(&effects.writes);
    let deletes = resolve(&effects.deletes);
    let access = resolve(&effects.access);
    let mentions = resolve(&effects.mentions);
    changed.then(|| Effects { reads, writes, deletes, access, mentions, ..effects.clone() })
}
