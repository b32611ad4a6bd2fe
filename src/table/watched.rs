//! Conditions that want to be told when the conditions of another hook hold.
//!
//! A condition that counts what another hook is about names that hook
//! ([`Condition::watches`](hookgate_contract::Condition::watches)). Here the names are looked up, and a
//! dispatch tells the condition itself. The engine keeps no counts.

use std::collections::HashMap;
use std::sync::Arc;

use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Condition, Mode};

use super::build_error::{BuildError, BuildProblem};
use super::check::MOST_HINTS;
use super::compiled_hook::Watchers;
use super::definition::HookDefinition;
use super::shared_list::SharedList;

/// For each hook that is watched the conditions that watch it.
#[derive(Default)]
pub(super) struct Watched(HashMap<String, Watchers>);

impl Watched {
    /// Looks up the hooks that conditions watch, and reports those that do not exist or are off. Hooks
    /// that are off watch nothing.
    pub(super) fn find(
        hooks: &SharedList<Arc<HookDefinition>>,
        errors: &mut Vec<BuildError>,
    ) -> Self {
        let mut found: HashMap<String, Vec<Arc<dyn Condition>>> = HashMap::new();
        let mut hints = MOST_HINTS;
        for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
            for (built, _) in hook.spec.matcher().all_registered() {
                let wants_files = built.condition().wants_files();
                let Some(id) = built.condition().watches() else {
                    if wants_files && !hook.spec.matcher().means_files() {
                        let problem = BuildProblem::NoFiles(hook.spec.id().to_string());
                        errors.push(BuildError::of_hook(&hook.spec, built.key(), problem));
                    }
                    continue;
                };
                let problem = match hooks.iter().find(|other| other.spec.id() == id) {
                    Some(other) if other.spec.mode == Mode::Off => {
                        BuildProblem::DisabledWatched(id.to_owned())
                    }
                    Some(other) if wants_files && !other.spec.matcher().means_files() => {
                        BuildProblem::NoFiles(id.to_owned())
                    }
                    Some(_) => {
                        let watchers = found.entry(id.to_owned()).or_default();
                        watchers.push(Arc::clone(built.condition()));
                        continue;
                    }
                    None => {
                        let ids = hooks.iter().map(|other| other.spec.id().as_str());
                        let most = if hints > 0 { usize::MAX } else { 0 };
                        let ids: Vec<_> = ids.take(most).collect();
                        hints = hints.saturating_sub(1);
                        let near = Suggestion::nearest(id, &ids);
                        BuildProblem::MissingWatched { id: id.to_owned(), near }
                    }
                };
                errors.push(BuildError::of_hook(&hook.spec, built.key(), problem));
            }
        }
        Self(found.into_iter().map(|(id, watchers)| (id, watchers.into())).collect())
    }

    /// Returns the conditions that watch a hook.
    pub(super) fn of(&self, id: &str) -> Watchers {
        self.0.get(id).cloned().unwrap_or_default()
    }
}
