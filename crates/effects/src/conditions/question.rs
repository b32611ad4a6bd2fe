//! What a condition asks of the effects of a step.

use hookgate_contract::quote::Quoted;

use super::path_doubts;
use super::read::{Hosts, Paths, Variables};
use super::read_pushes::Pushes;
use super::read_runs::Runs;
use crate::effects::Effects;
use crate::patterns::{Deed, Folders, Found, Truth};

/// What a condition asks.
pub(super) enum Question {
    /// Whether one of the programs is meant.
    Runs(Runs),
    /// Whether one of the paths is meant, with which one of these things is done.
    Paths { paths: Paths, deeds: &'static [Deed] },
    /// Whether one of the pushes is meant.
    Pushes(Pushes),
    /// Whether one of the hosts is meant.
    Hosts(Hosts),
    /// Whether the value of one of the variables is shown.
    Variables(Variables),
}

impl Question {
    /// Looks for the answer.
    pub(super) fn find(&self, effects: &Effects, folders: &Folders) -> Found {
        match self {
            Self::Runs(runs) => runs.patterns.find(effects),
            Self::Pushes(pushes) => pushes.patterns.find(effects),
            Self::Hosts(hosts) => hosts.patterns.find(effects),
            Self::Variables(variables) => variables.patterns.find(effects),
            Self::Paths { paths, deeds } => {
                let mut found = Found { truth: Truth::False, cause: None };
                for deed in *deeds {
                    let one = paths.patterns.find(effects, *deed, folders);
                    if one.truth > found.truth {
                        found = one;
                    }
                }
                found
            }
        }
    }

    /// Returns which patterns fit no step that can be made up, each with the reason.
    pub(super) fn doubts(&self, key: &str) -> Vec<String> {
        let (written, found) = match self {
            Self::Runs(runs) => (&runs.written, runs.patterns.doubts()),
            Self::Hosts(hosts) => (&hosts.written, hosts.patterns.doubts()),
            Self::Variables(variables) => (&variables.written, variables.patterns.doubts()),
            Self::Paths { paths, deeds } => {
                let found = paths.patterns.doubts().into_iter();
                let pattern = |at: usize| paths.written.get(at).map_or("", String::as_str);
                let dead = found.map(|(at, why)| told(key, pattern(at), &why));
                return dead.chain(path_doubts::doubts(key, paths, deeds)).collect();
            }
            Self::Pushes(pushes) => {
                let found = pushes.patterns.doubts().into_iter();
                return found.map(|(name, why)| told(key, &name, &why)).collect();
            }
        };
        let pattern = |at: usize| written.get(at).map_or("", String::as_str);
        found.into_iter().map(|(at, why)| told(key, pattern(at), &why)).collect()
    }

    /// Returns whether it is about paths.
    pub(super) const fn is_about_paths(&self) -> bool {
        matches!(self, Self::Paths { .. })
    }

    /// Returns whether one of the patterns asks for files that the session has written.
    pub(super) const fn asks_written(&self) -> bool {
        matches!(self, Self::Runs(runs) if runs.asks_written)
    }

    /// Returns whether one of the patterns names the folder of the project.
    pub(super) const fn asks_project(&self) -> bool {
        matches!(self, Self::Paths { paths, .. } if paths.asks_project)
    }
}

fn told(key: &str, pattern: &str, why: &str) -> String {
    format!("`{key}`: `{}` may never match: {why}", Quoted(pattern))
}
