//! Where a hook of Cursor comes from. The order is that of precedence.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::foreign::{Host, Layer};

/// A place for hooks, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    Enterprise,
    Team,
    Project,
    User,
    ClaudeLocal,
    ClaudeProject,
    ClaudeUser,
}

impl Source {
    /// Tells the place of a layer by its name: `enterprise`, `team`, `project`, `user`, and with `claude`
    /// in front those of Claude Code.
    pub(super) fn of(name: &str) -> Self {
        if let Some(name) = name.strip_prefix("claude") {
            return match name.trim_start_matches(['-', '_', ':', '.']) {
                "local" | "project_local" | "project-local" => Self::ClaudeLocal,
                "user" => Self::ClaudeUser,
                _ => Self::ClaudeProject,
            };
        }
        match name {
            "enterprise" | "managed" => Self::Enterprise,
            "team" => Self::Team,
            "user" => Self::User,
            _ => Self::Project,
        }
    }

    /// Tells whether the file has the form of Claude Code.
    pub(super) const fn is_claude(self) -> bool {
        matches!(self, Self::ClaudeLocal | Self::ClaudeProject | Self::ClaudeUser)
    }

    const fn is_of_the_project(self) -> bool {
        matches!(self, Self::Project | Self::ClaudeLocal | Self::ClaudeProject)
    }

    const fn is_of_the_user(self) -> bool {
        matches!(self, Self::User | Self::ClaudeUser)
    }

    /// Says why no hook of a layer runs, if none does.
    pub(super) fn left_out(self, host: &Host) -> Option<&'static str> {
        let no = |name: &str| host.facts.get(name) == Some(&Value::Bool(false));
        let untrusted = ["trusted", "trusted_folder", "project_trusted"].into_iter().any(no);
        if self.is_of_the_project() && untrusted {
            return Some("the workspace is not trusted: none of these hooks runs");
        }
        if self.is_of_the_user() && is_cloud(host) {
            return Some("cloud agents do not read the files of a user: none of these hooks runs");
        }
        None
    }

    /// Returns the folder in which its programs run.
    pub(super) fn folder(self, file: &str, host: &Host) -> PathBuf {
        if self.is_of_the_project() || self == Self::ClaudeUser {
            return host.project.clone();
        }
        let folder = Path::new(file).parent().filter(|folder| folder.is_absolute());
        // A folder that is not there would keep the hook from starting.
        folder.filter(|folder| folder.is_dir()).map_or_else(|| host.project.clone(), Path::to_owned)
    }
}

/// Tells whether the fact `surface` says that a cloud agent runs.
pub(super) fn is_cloud(host: &Host) -> bool {
    host.facts.get("surface").and_then(Value::as_str) == Some("cloud")
}

/// Sorts layers by precedence; those of the same place keep their order.
pub(super) fn sorted(layers: &[Layer]) -> Vec<(Source, &Layer)> {
    let mut sorted: Vec<_> = layers.iter().map(|layer| (Source::of(&layer.name), layer)).collect();
    sorted.sort_by_key(|(source, _)| *source);
    sorted
}
