//! Which hooks the cases have reached.

use hookgate::{HandlerTable, Mode};
use serde::Serialize;

use super::case_run::CaseRun;

/// In how many cases each hook was called, and in how many it acted.
#[derive(Debug, Serialize)]
pub(super) struct Coverage {
    pub(super) hooks: Vec<Hook>,
    /// How many of 100 hooks were called.
    pub(super) percent: f64,
}

/// What became of a hook.
#[derive(Debug, Serialize)]
pub(super) struct Hook {
    pub(super) id: String,
    /// In how many cases it was called.
    pub(super) called: usize,
    /// In how many cases it decided, changed or added something, or failed.
    pub(super) acted: usize,
}

impl Coverage {
    /// Counts over all cases. Hooks that are off are left out.
    pub(super) fn of(table: &HandlerTable, runs: &[CaseRun]) -> Self {
        let on = table.specs().filter(|spec| spec.mode() != Mode::Off);
        let mut hooks: Vec<Hook> =
            on.map(|spec| Hook { id: spec.id().to_string(), called: 0, acted: 0 }).collect();
        for run in runs {
            let (called, acted) = (run.called(), run.acted());
            for hook in &mut hooks {
                hook.called += usize::from(called.contains(hook.id.as_str()));
                hook.acted += usize::from(acted.contains(hook.id.as_str()));
            }
        }
        let called = hooks.iter().filter(|hook| hook.called > 0).count();
        #[expect(clippy::cast_precision_loss, reason = "no config has 2^52 hooks")]
        let percent =
            if hooks.is_empty() { 100.0 } else { called as f64 * 100.0 / hooks.len() as f64 };
        Self { hooks, percent }
    }
}
