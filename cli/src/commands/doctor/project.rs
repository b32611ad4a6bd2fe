//! Whether the hooks of the project are in force, as `hookgate trust --show` says.

use std::path::Path;

use super::report::Finding;
use crate::shell_word::quoted;
use crate::trust::{Examined, State, examine_path};

/// Finds hooks of the project that `hookgate hook` does not run.
pub(super) fn check(folder: &Path) -> Vec<Finding> {
    examine_path(folder).iter().filter_map(finding).collect()
}

fn finding(project: &Examined) -> Option<Finding> {
    // Hooks that only refuse are in force in any case.
    let content = project.content.as_ref()?;
    let waiting = content.hooks.iter().filter(|hook| hook.needs_trust).count();
    if project.state == State::Trusted || waiting == 0 {
        return None;
    }
    let why = project.why.as_deref().unwrap_or_default();
    let root = quoted(&project.root.to_string_lossy());
    let about = format!(
        "{waiting} of {} hooks of this project are not run, and the steps that they are about are refused: {why}",
        content.hooks.len()
    );
    let cure = match project.state {
        State::Refused => format!("see `hookgate trust {root} --show`"),
        State::Changed => {
            format!("run `hookgate trust {root} --diff`, then `hookgate trust {root}`")
        }
        _ => format!("read them, and run `hookgate trust {root}`"),
    };
    Some(Finding::doubt(about, cure).of(&project.root))
}
