//! The steps of the cases, for a verb that judges them without looking at what the cases expect.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hookgate::HandlerTable;

use super::{find, read_suites};
use crate::abort::Abort;
use crate::config::Configs;
use crate::replay::{Place, RecordedStep};
use crate::terminal::phrase::count;

/// Returns the steps of the test files beside these configs, each case as a session of its own. A case may name the
/// hooks of any of the tables; what it says that a program answers is what that answers here.
///
/// # Errors
/// There is no test file, one is not valid, or none of them has a case that is run.
pub(in crate::commands) fn golden(
    configs: &[Configs],
    tables: &[&HandlerTable],
) -> Result<Vec<RecordedStep>, Abort> {
    let mut files = Vec::new();
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for configs in configs {
        for file in find::find(configs, &[])? {
            // Two configs of one folder have the same tests.
            if seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                files.push(file);
            }
        }
    }
    let now = SystemTime::now();
    let mut steps = Vec::new();
    let mut cases = 0_usize;
    for suite in read_suites(&files, tables)? {
        let name: Arc<str> = suite.text.path.display().to_string().into();
        for case in suite.cases.iter().filter(|case| case.skip.is_none()) {
            cases += 1;
            let line = u64::try_from(case.line).unwrap_or(u64::MAX);
            steps.extend(case.steps.iter().map(|step| {
                let envelope = step.in_session(&format!("-{cases}"));
                let place = Place::Line(Arc::clone(&name), line);
                let mut recorded =
                    RecordedStep::of_envelope(place, envelope, Some(case.now.unwrap_or(now)));
                let given = step.substitutes.iter();
                recorded.given = given.map(|(hook, one)| (hook.clone(), one.reply())).collect();
                recorded
            }));
        }
    }
    if steps.is_empty() {
        let found = count(files.len(), "test file");
        let message =
            format!("{found} beside the configs, without a case: there is no golden step");
        return Err(Abort::failure(message)
            .help("write `hooks_test.toml` beside the config, as `hookgate test --help` shows"));
    }
    Ok(steps)
}
