//! Whether `hookgate hook` calls the hooks of a config: those of a project it calls only if that is trusted.

use hookgate::{HookSpec, Mode};
use serde::Serialize;

use crate::config::Configs;
use crate::shell_word::quoted;
use crate::sources::Source;
use crate::trust::{Examined, State, examine_path, only_tightens};

/// The projects whose hooks are among those of a config.
#[derive(Debug, Default)]
pub(crate) struct Standing(Vec<Examined>);

/// Whether a hook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HookStanding {
    /// It is, whether its project is trusted or not.
    InForce,
    /// It is, since its project is trusted.
    Trusted,
    /// It is not: nobody has said that its project is trusted.
    Untrusted,
    /// It is not: its project has changed since it was trusted.
    Changed,
    /// It is not: others can change its project.
    Refused,
    /// It is not: a config of its project cannot be loaded as a whole.
    Broken,
}

impl HookStanding {
    /// Returns the word for it; it is empty if trust does not matter.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::InForce => "",
            Self::Trusted => "trusted",
            Self::Untrusted => "not trusted",
            Self::Changed => "changed",
            Self::Refused => "refused",
            Self::Broken => "has errors",
        }
    }

    /// Whether steps are refused where the hook would be called.
    pub(crate) const fn refuses(self) -> bool {
        !matches!(self, Self::InForce | Self::Trusted)
    }
}

impl Standing {
    /// Looks at the projects of configs. Configs that the command line names are in force as they are.
    pub(crate) fn of(configs: &Configs) -> Self {
        if !configs.sources().iter().any(Source::is_of_project) {
            return Self::default();
        }
        let here = std::env::current_dir().unwrap_or_default();
        Self(examine_path(&here))
    }

    /// Returns whether a hook is called.
    pub(crate) fn of_hook(&self, hook: &HookSpec) -> HookStanding {
        match self.project_of(hook).map(|project| project.state) {
            None | Some(State::Gone) => HookStanding::InForce,
            Some(State::Trusted) => HookStanding::Trusted,
            Some(State::Untrusted) => HookStanding::Untrusted,
            Some(State::Changed) => HookStanding::Changed,
            Some(State::Refused) => HookStanding::Refused,
            Some(State::Broken) => HookStanding::Broken,
        }
    }

    /// Says why a hook is not called, and what to do about it; `None` if it is called.
    pub(crate) fn why_refused(&self, hook: &HookSpec) -> Option<String> {
        if !self.of_hook(hook).refuses() {
            return None;
        }
        let project = self.project_of(hook)?;
        let why = project.why.as_deref().unwrap_or("its project is not trusted");
        let root = quoted(&project.root.display().to_string());
        Some(format!(
            "`hookgate hook` does not run it, and refuses the step in its place: {why}; read it, and \
             if it is right, say so with `hookgate trust {root}`"
        ))
    }

    /// Returns the project of a hook that is in force only if that is trusted.
    fn project_of(&self, hook: &HookSpec) -> Option<&Examined> {
        // What stands in the place of a hook with a mistake starts nothing.
        let is_free =
            only_tightens(hook) || hook.mode() == Mode::Off || hook.why_set_aside().is_some();
        let layer = hook.origin().layer().name();
        let has = |project: &&Examined| {
            let content = project.content.as_ref();
            content.is_some_and(|content| {
                content.hooks.iter().any(|known| known.id == *hook.id() && known.layer == layer)
            })
        };
        let is_of_project = matches!(layer, "project" | "local");
        let broken = |project: &&Examined| project.content.is_none();
        let found = || self.0.iter().find(has).or_else(|| self.0.iter().find(broken));
        (is_of_project && !is_free).then(found).flatten()
    }
}
