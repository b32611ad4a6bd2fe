//! The class of a call, from its effects.

use hookgate::builtin::{BlastRadius, CallClass};
use hookgate::contract::payload::Safety;
use hookgate::effects::{Effects, PathEffect};

/// Returns the class of what a call does in a folder: that of the most dangerous effect. `only_looks` says that no
/// program of it may change what is no effect.
pub(crate) fn of_effects(effects: &Effects, cwd: Option<&str>, only_looks: bool) -> CallClass {
    if let Some(deleted) = farthest(&effects.deletes, cwd) {
        let reason = format!("it deletes `{}`", deleted.path.written());
        return CallClass::new(Safety::Destructive, reach(deleted, cwd), "delete", reason);
    }
    if !effects.pushes.is_empty() {
        let mut updates = effects.pushes.iter().flat_map(|push| &push.updates);
        let takes_away = updates.any(|update| update.force || update.delete);
        return if takes_away {
            let reason = "it takes commits or branches of a remote away";
            CallClass::new(Safety::Destructive, BlastRadius::Network, "push", reason)
        } else {
            let reason = "it pushes to a remote";
            CallClass::new(Safety::Network, BlastRadius::Network, "push", reason)
        };
    }
    if let Some(host) = effects.connects.first() {
        let reason = format!("it connects to `{}`", host.host.written());
        return CallClass::new(Safety::Network, BlastRadius::Network, "network", reason);
    }
    if let Some(unclear) = effects.unclear.first() {
        let class = (Safety::Mutating, BlastRadius::Unclear);
        return CallClass::new(class.0, class.1, "unclear", unclear.why.clone());
    }
    if effects.more_programs {
        let reason = "it runs a program whose content is not seen";
        return CallClass::new(Safety::Mutating, BlastRadius::Unclear, "unclear", reason);
    }
    let changed = farthest(&effects.access, cwd).or_else(|| farthest(&effects.writes, cwd));
    if let Some(written) = changed {
        let reason = format!("it writes `{}`", written.path.written());
        return CallClass::new(Safety::Mutating, reach(written, cwd), "write", reason);
    }
    if !only_looks {
        let reason = "it runs a program of which it is not known what it changes";
        return CallClass::new(Safety::Mutating, BlastRadius::Unclear, "unclear", reason);
    }
    CallClass::new(Safety::ReadOnly, BlastRadius::None, "read", "it changes nothing")
}

/// Returns the effect that reaches farthest; of several the first.
fn farthest<'e>(effects: &'e [PathEffect], cwd: Option<&str>) -> Option<&'e PathEffect> {
    let outside = effects.iter().find(|effect| reach(effect, cwd) != BlastRadius::Project);
    outside.or(effects.first())
}

/// Tells whether a path is below the folder of the session.
fn reach(effect: &PathEffect, cwd: Option<&str>) -> BlastRadius {
    let Some(path) = effect.path.known() else {
        // What is not known of it may be anywhere, unless it stands behind a folder.
        let prefix = effect.path.known_prefix();
        let is_below = cwd.is_some_and(|cwd| is_inside(prefix, cwd));
        return if is_below { BlastRadius::Project } else { BlastRadius::Unclear };
    };
    match cwd {
        Some(cwd) if is_inside(&path, cwd) || *path == *cwd => BlastRadius::Project,
        _ => BlastRadius::Machine,
    }
}

fn is_inside(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
