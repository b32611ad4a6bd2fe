//! The binary `hookgate`: reads the command line and calls the verb.

use std::ffi::OsString;
use std::process::{ExitCode, Termination as _};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};
use hookgate::command::shim;
use hookgate_cli::commands::{
    approvals, builtins, certify, check, completions, conditions, config, daemon, demo, diff,
    doctor, effects, eval, events, fmt, hook, import, init, install, journal, judge, list, log,
    lsp, man, pack, promote, reference, replay, run, runs, schema, serve, snapshot, test, trust,
    ui, why,
};
use hookgate_cli::{Abort, Exit, block_on, start_log};

/// Evaluates the steps of AI agents with a table of hooks.
#[derive(Debug, Parser)]
#[command(name = "hookgate", version, after_help = NEXT_STEPS)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

/// The path of this program, which stays right when the file is replaced while it runs.
const OWN_PROGRAM: &str = "/proc/self/exe";

const NEXT_STEPS: &str = "\
Start here:
  hookgate demo                   see what hooks do, in a shipped session
  hookgate init                   write a hooks.toml to begin with
  hookgate check                  find everything that is wrong with it
  hookgate test                   run the cases beside it
  hookgate run session.jsonl      evaluate recorded steps
  hookgate why ID -i step.json    why did a hook run, or not?
  hookgate install --agent NAME   make it the hook of a coding agent
  hookgate doctor                 see whether the agents obey
  hookgate serve --stdio          judge the steps of a runtime in any language
  hookgate log                    see what was decided, where `[journal]` has it recorded
  hookgate runs list              see what hooks do later, and what became of it
  hookgate approvals list         see and answer what waits for a person
  hookgate ui --open              see all of that on a live page
  hookgate replay                 see what your hooks would say to what is recorded
  hookgate diff OLD NEW           see what differs between two configs
  hookgate certify                see whether each guard works
  hookgate trust                  put the hooks of a folder in force that you have read

Exit codes: 0 allow, answered or ok · 1 operational failure · 2 deny, halt or a failed test ·
3 invalid config · 4 ask · 64 usage.

HOOKGATE_LOG sets what is logged to stderr; without it these are warnings:
  HOOKGATE_LOG=info                      failures of hooks, slow hooks, swaps of the table
  HOOKGATE_LOG=debug                     also what hooks write to stderr, line by line
  HOOKGATE_LOG=hookgate::command=debug   that alone
  HOOKGATE_LOG=hookgate::audit=info      the lines of the builtin `audit` alone";

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Eval(eval::Args),
    Hook(hook::Args),
    Daemon(daemon::Args),
    Serve(serve::Args),
    Effects(effects::Args),
    Check(check::Args),
    Test(test::Args),
    Certify(certify::Args),
    List(list::Args),
    Why(why::Args),
    Config(config::Args),
    Events(events::Args),
    Builtins(builtins::Args),
    Conditions(conditions::Args),
    Schema(schema::Args),
    Init(init::Args),
    Import(import::Args),
    Install(install::Args),
    Doctor(doctor::Args),
    Trust(trust::Args),
    Pack(pack::Args),
    Promote(promote::Args),
    Snapshot(snapshot::Args),
    Demo(demo::Args),
    Judge(judge::Args),
    Log(log::Args),
    Journal(journal::Args),
    Runs(runs::Args),
    Approvals(approvals::Args),
    Ui(ui::Args),
    Replay(Box<replay::Args>),
    Diff(Box<diff::Args>),
    Fmt(fmt::Args),
    Lsp(lsp::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(hide = true)]
    Reference(reference::Args),
}

fn main() -> ExitCode {
    // This comes first: hooks that are programs run under this program, which is started again.
    if let Some(code) = shim::main() {
        return code;
    }
    shim::register(OWN_PROGRAM);
    // An agent calls this verb, and understands other exit codes than people and scripts.
    if let Some(exit) = hook::main() {
        return exit.report();
    }
    exit_of(Cli::try_parse()).report()
}

fn exit_of(cli: Result<Cli, clap::Error>) -> Exit {
    match cli {
        Ok(cli) => {
            start_log();
            execute(cli.verb).unwrap_or_else(Abort::report)
        }
        Err(error) => {
            // A stream that takes no help text leaves nothing else to do.
            let _ = error.print();
            match error.kind() {
                // A misspelt `hook`: agents take the other code for a crash, and let the step pass.
                ErrorKind::InvalidSubcommand if names_an_agent() => Exit::Deny,
                _ if error.use_stderr() => Exit::Usage,
                _ => Exit::Ok,
            }
        }
    }
}

fn names_an_agent() -> bool {
    let is_agent = |argument: OsString| argument.to_string_lossy().starts_with("--agent");
    std::env::args_os().any(is_agent)
}

fn execute(verb: Verb) -> Result<Exit, Abort> {
    match verb {
        Verb::Run(args) => block_on(run::run(args)),
        Verb::Eval(args) => block_on(eval::run(args)),
        Verb::Hook(args) => Ok(hook::run(args)),
        Verb::Daemon(args) => daemon::run(&args),
        Verb::Serve(args) => block_on(serve::run(args)),
        Verb::Effects(args) => block_on(effects::run(args)),
        Verb::Check(args) => block_on(check::run(args)),
        Verb::Test(args) => block_on(test::run(args)),
        Verb::Certify(args) => block_on(certify::run(args)),
        Verb::Why(args) => block_on(why::run(args)),
        Verb::List(args) => block_on(async { list::run(&args) }),
        Verb::Config(args) => config::run(&args),
        Verb::Events(args) => events::run(&args),
        Verb::Builtins(args) => builtins::run(&args),
        Verb::Conditions(args) => conditions::run(&args),
        Verb::Schema(args) => schema::run(&args),
        Verb::Init(args) => init::run(&args),
        Verb::Import(args) => block_on(async { import::run(&args) }),
        Verb::Install(args) => install::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Trust(args) => trust::run(&args),
        Verb::Pack(args) => block_on(pack::run(args)),
        Verb::Promote(args) => promote::run(&args),
        Verb::Snapshot(args) => block_on(snapshot::run(args)),
        Verb::Demo(args) => block_on(demo::run(args)),
        Verb::Judge(args) => block_on(judge::run(args)),
        Verb::Log(args) => block_on(log::run(args)),
        Verb::Journal(args) => journal::run(&args),
        Verb::Runs(args) => runs::run(&args),
        Verb::Approvals(args) => approvals::run(&args),
        Verb::Ui(args) => block_on(ui::run(args)),
        Verb::Replay(args) => block_on(replay::run(*args)),
        Verb::Diff(args) => block_on(diff::run(*args)),
        Verb::Fmt(args) => fmt::run(&args),
        Verb::Lsp(args) => block_on(async { lsp::run(&args) }),
        Verb::Completions(args) => completions::run(&args, Cli::command()),
        Verb::Man(args) => man::run(&args, Cli::command()),
        Verb::Reference(args) => reference::run(&args),
    }
}
