//! The runtime of the verbs that call hooks.

use std::time::Duration;

use hookgate::command;

use crate::abort::Abort;
use crate::exit_code::Exit;

/// A file that every system has.
const NO_DATA: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// How many files a verb opens before it calls the first hook.
const OPEN_FILES: usize = 16;

/// How long programs whose reply came too late may take to end.
const SETTLE: Duration = Duration::from_secs(2);

/// Runs a verb to its end on a runtime of its own, and kills what its hooks have left behind.
///
/// # Errors
/// The verb's own, and a failure if no runtime can be started here: the process may open too few
/// files.
pub fn block_on(verb: impl Future<Output = Result<Exit, Abort>>) -> Result<Exit, Abort> {
    require_files()?;
    // Descendants that a hook leaves behind are found and killed. Where the system cannot make this
    // process their reaper, the shim does it.
    let _ = command::become_subreaper();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Abort::failure(format!("the runtime cannot be started: {error}")))?;
    let exit = runtime.block_on(verb);
    // A thread may still be reading stdin; it is not waited for.
    runtime.shutdown_background();
    // Nothing is left to do about those that go on.
    let _ = command::settle(SETTLE);
    exit
}

/// Fails if files cannot be opened: with too few of them the runtime would panic.
fn require_files() -> Result<(), Abort> {
    let open = |_| std::fs::File::open(NO_DATA);
    match (0..OPEN_FILES).map(open).collect::<Result<Vec<_>, _>>() {
        Ok(_) => Ok(()),
        Err(error) => Err(Abort::failure(format!("too few files can be opened: {error}"))
            .help("raise the limit: `ulimit -n 1024`")),
    }
}
