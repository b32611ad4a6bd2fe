//! `hookgate`: judge, check and explain the hooks of AI agents.
//!
//! One file per verb; what verbs share stands beside them.

mod abort;
mod check;
mod colour;
mod config;
mod demo;
mod diagnostics;
mod eval;
mod evaluate;
mod events;
mod exit_code;
mod init;
mod input;
mod interrupt;
mod judge;
mod list;
mod log;
mod matcher;
mod output;
mod progress;
mod remarks;
mod run;
mod schema;
mod summary;
mod table;
mod text;
mod watch;

use std::process::{ExitCode, Termination as _};
use std::time::Duration;

use clap::{Parser, Subcommand};
use hookgate::command::{self, shim};

use crate::abort::Abort;
use crate::exit_code::Exit;

/// Judges the steps of AI agents by a table of hooks.
#[derive(Debug, Parser)]
#[command(name = "hookgate", version, after_help = NEXT)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// This program, also after another was put in its place.
const OURSELVES: &str = "/proc/self/exe";

/// How many files a verb opens before it has asked a hook.
const FILES: usize = 16;

/// How long programs may take to end whose answer came too late.
const SETTLE: Duration = Duration::from_secs(2);

const NEXT: &str = "\
Start here:
  hookgate demo                   see what hooks do, in a shipped session
  hookgate init                   write a hooks.toml to begin with
  hookgate check                  find everything that is wrong with it
  hookgate run session.jsonl      judge recorded steps

Exit codes: 0 allow, answered or ok · 1 operational failure · 2 deny or halt ·
3 invalid config · 4 ask · 64 usage.

HOOKGATE_LOG sets what is logged to stderr: `HOOKGATE_LOG=info`, or
`HOOKGATE_LOG=hookgate::audit=info` for the lines of the builtin `audit` only.";

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Eval(eval::Args),
    Check(check::Args),
    List(list::Args),
    Events(events::Args),
    Schema(schema::Args),
    Init(init::Args),
    Demo(demo::Args),
    Judge(evaluate::Args),
}

fn main() -> ExitCode {
    // Before anything else: hooks that are programs run under this program, started again.
    if let Some(code) = shim::main() {
        return code;
    }
    shim::register(OURSELVES);
    understand().report()
}

fn understand() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing can be done about a stream that takes no help text.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Ok };
        }
    };
    log::start();
    execute(cli.verb).unwrap_or_else(Abort::report)
}

fn execute(verb: Verb) -> Result<Exit, Abort> {
    match verb {
        Verb::Run(args) => waiting(run::run(args)),
        Verb::Eval(args) => waiting(eval::run(args)),
        Verb::Check(args) => waiting(check::run(args)),
        Verb::List(args) => waiting(async { list::run(&args) }),
        Verb::Events(args) => events::run(&args),
        Verb::Schema(args) => schema::run(&args),
        Verb::Init(args) => init::run(&args),
        Verb::Demo(args) => waiting(demo::run(args)),
        Verb::Judge(args) => waiting(evaluate::run(args)),
    }
}

/// Finds out whether files can be opened: where there are too few, the runtime would panic.
fn enough_files() -> Result<(), Abort> {
    let open = |_| std::fs::File::open("/dev/null");
    match (0..FILES).map(open).collect::<Result<Vec<_>, _>>() {
        Ok(_) => Ok(()),
        Err(error) => Err(Abort::failure(format!("too few files can be opened: {error}"))
            .help("raise the limit: `ulimit -n 1024`")),
    }
}

/// Runs a verb that needs a runtime: one that asks hooks, or that builds handlers.
fn waiting(verb: impl Future<Output = Result<Exit, Abort>>) -> Result<Exit, Abort> {
    enough_files()?;
    // What a hook leaves behind is found and killed. Where the system cannot, the shim does it.
    let _ = command::become_subreaper();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Abort::failure(format!("the runtime cannot be started: {error}")))?;
    let exit = runtime.block_on(verb);
    // A thread may still be reading stdin; nobody waits for it.
    runtime.shutdown_background();
    command::settle(SETTLE);
    exit
}
