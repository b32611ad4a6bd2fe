//! `hookgate hook`: the one hook command of an agent. It reads a step in the form of the agent and answers
//! in it; whatever fails is that agent's deny where something can be denied.
//!
//! The work is done by a thread, and the main thread waits for it until the deadline: an input without an
//! end, a handler that never answers and a panic all end in an answer.

pub(super) mod answer;
mod call;
mod daemon;
mod error;
mod in_force_here;
mod input;
mod joined_configs;
mod judge;
mod later;
mod recording;
mod remembering;
mod state;
mod tables;
mod trust;

use std::ffi::OsString;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookgate::contract::dialect::{Dialect, HostAnswer};

use crate::agents::is_called;
use crate::exit_code::Exit;
use crate::overrides::OverrideArgs;
use crate::seconds::seconds;
use crate::terminal::log;
use call::Call;
use error::HookError;
use tables::Tables;

pub(crate) use answer::print;
pub(crate) use call::TIMEOUT;
pub(crate) use daemon::server::serve;
pub(crate) use in_force_here::{InForceHere, TableHere};
pub(crate) use input::LIMIT;

/// The verb, as the first argument.
pub(crate) const VERB: &str = "hook";

/// Answer the hook of an agent
///
/// Reads the envelope of one step on stdin, in the form of the agent, and answers in the form that the
/// agent obeys. `hookgate install` writes this command into the config of an agent.
///
/// Whatever fails (no config or a broken one, an unknown event, a hook that takes too long) is a deny
/// wherever the agent can be denied something, and has no effect elsewhere; stderr or the answer says why
/// and what to do.
///
/// Without -c the config is the file in HOOKGATE_CONFIG, or else these files together, as far as they are
/// there: that of the user, hookgate/hooks.toml in the folder of configurations; that of the project,
/// .hookgate/hooks.toml or hooks.toml in the folder of the session or the nearest one above it; and
/// .hookgate/hooks.local.toml there. Beside each, hooks.d/*.toml count as well. What the machine has in
/// /etc/hookgate is always in force. A file can only tighten what those before it say.
///
/// With --hooks-override-json and the like the command line adds hooks, as the file that binds least; --disable and
/// --shadow reach hooks of -c files and of overrides only. A mistake there refuses every step. A daemon is not asked
/// then.
///
/// A project can only make stricter what its user has decided. Until its user trusts it with `hookgate trust`,
/// those of its hooks are called that are builtins and start, send and change nothing: deny, ask, require,
/// limit, max_iterations, protect_config, redact_secrets without settings, add_date, audit. Where another one
/// would be called, the step is refused. A file that is named with -c or in HOOKGATE_CONFIG is in force as it is.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",
         \"tool_input\":{\"command\":\"git push --force\"}}' | hookgate hook --agent claude -c hooks.toml

It never exits with another code than 0 or 2.")]
pub struct Args {
    /// The agent: claude, codex, …
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// A file of hooks, in place of those that are found; several are joined
    #[arg(short = 'c', long = "config", value_name = "FILE")]
    config: Vec<PathBuf>,
    /// A hook with a mistake refuses every step, and not only those that it is about; and a failed hook of
    /// another agent's config (-c) refuses the step, as one of a hooks.toml does
    #[arg(long)]
    strict: bool,
    /// The event, for agents whose envelopes do not name it
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// After how many seconds the step is refused; must be less than the limit of the agent
    #[arg(long, value_name = "SECONDS", default_value = "8", value_parser = seconds)]
    timeout: Duration,
    /// Let a process that stays judge the steps, and start it if there is none: after how many seconds without
    /// a call it ends; also HOOKGATE_DAEMON
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    daemon: Option<Duration>,
    /// The hash of a project's content that is trusted, as `hookgate trust --show --json` prints it; also
    /// HOOKGATE_TRUST_HASH
    #[arg(long, value_name = "HASH")]
    trust_hash: Vec<String>,
}

/// Runs the verb if the command line of this process is about it, before anything else reads that: a
/// mistake in it must not end with a code that an agent takes for a crash of its hook.
#[must_use]
pub fn main() -> Option<Exit> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_none_or(|verb| verb != VERB) {
        return None;
    }
    Some(match Call::parse(arguments) {
        Ok(call) => answer_one(call),
        Err(help) => {
            // A stream that takes no help text leaves nothing else to do.
            let _ = help.print();
            Exit::Ok
        }
    })
}

/// Runs the verb: answers one step.
#[must_use]
pub fn run(args: Args) -> Exit {
    answer_one(Call::new(args))
}

fn answer_one(call: Call) -> Exit {
    let Some(dialect) = find_dialect(call.agent()) else {
        let error = call.problem().cloned();
        let error = error.unwrap_or_else(|| HookError::unknown_agent(call.agent()));
        return print(&HostAnswer::exit_2(&error.to_string()));
    };
    if std::env::var_os(log::VARIABLE).is_some() {
        log::start();
    }
    // A message of the panic would stand before the reason on stderr, which the model reads.
    std::panic::set_hook(Box::new(|_| {}));
    let (work, mut progress) = InProgress::new(call, dialect, None);
    // The main thread does the work: on any other, the memory of the C library grows page by page.
    let refusal = progress.refusal(&HookError::Panic);
    let says = std::thread::Builder::new().name("answer".to_owned()).spawn(move || {
        let exit = print(&progress.answer());
        // What still goes on after the answer: observers in the background, programs that end late.
        if !progress.settle() {
            std::process::exit(exit as i32);
        }
        exit
    });
    let Ok(says) = says else { return print(&refusal) };
    work.run(Box::new(std::io::stdin()));
    says.join().unwrap_or(Exit::Deny)
}

fn find_dialect(name: &str) -> Option<Arc<dyn Dialect>> {
    hookgate_dialects::every().into_iter().find(|dialect| is_called(&**dialect, name))
}

/// The event of the step, as soon as it is known: a refusal depends on it.
#[derive(Debug, Clone)]
struct Seen(Arc<Mutex<Option<String>>>);

impl Seen {
    fn new(event: Option<&str>) -> Self {
        Self(Arc::new(Mutex::new(event.map(str::to_owned))))
    }

    fn set(&self, event: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.to_owned());
    }

    fn event(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A step on which another thread works.
struct InProgress {
    dialect: Arc<dyn Dialect>,
    seen: Seen,
    end: Instant,
    answer: Receiver<HostAnswer>,
    is_done: Receiver<()>,
}

impl InProgress {
    /// Returns what is to be done, and what waits for it.
    fn new(call: Call, dialect: Arc<dyn Dialect>, tables: Option<Arc<Tables>>) -> (Work, Self) {
        let end = Instant::now() + call.timeout();
        let seen = Seen::new(call.event());
        let (answers, answer) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        let (seen_there, dialect_there) = (seen.clone(), Arc::clone(&dialect));
        let work =
            Work { call, dialect: dialect_there, seen: seen_there, end, answers, done, tables };
        (work, Self { dialect, seen, end, answer, is_done })
    }

    /// Starts a thread that does the work. If that fails, the answer is a refusal.
    fn start(
        call: Call,
        dialect: Arc<dyn Dialect>,
        stdin: Box<dyn Read + Send>,
        tables: Option<Arc<Tables>>,
    ) -> Self {
        let (work, progress) = Self::new(call, dialect, tables);
        // Without a thread, the work and both of its senders are dropped here.
        let _ = std::thread::Builder::new().name(VERB.to_owned()).spawn(move || work.run(stdin));
        progress
    }

    /// Waits for the answer until the deadline.
    fn answer(&mut self) -> HostAnswer {
        self.answer.recv_timeout(self.rest()).unwrap_or_else(|failed| {
            let error = match failed {
                RecvTimeoutError::Timeout => HookError::Deadline,
                RecvTimeoutError::Disconnected => HookError::Panic,
            };
            self.refusal(&error)
        })
    }

    fn refusal(&self, error: &HookError) -> HostAnswer {
        self.dialect.refuse(self.seen.event().as_deref(), &error.to_string())
    }

    /// Waits for the end of the work until the deadline, and tells whether it has ended.
    fn settle(&self) -> bool {
        self.is_done.recv_timeout(self.rest()) != Err(RecvTimeoutError::Timeout)
    }

    fn rest(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

/// What is to be done for a step.
struct Work {
    call: Call,
    dialect: Arc<dyn Dialect>,
    seen: Seen,
    end: Instant,
    answers: Sender<HostAnswer>,
    done: Sender<()>,
    /// What a daemon keeps; `None` in a call that judges for itself.
    tables: Option<Arc<Tables>>,
}

impl Work {
    fn run(self, stdin: Box<dyn Read + Send>) {
        let judged = catch_unwind(AssertUnwindSafe(|| judge::judge(&self, stdin)));
        let error = match judged {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => Some(HookError::Panic),
        };
        if let Some(error) = error {
            self.say(self.dialect.refuse(self.seen.event().as_deref(), &error.to_string()));
        }
        // After the deadline nobody receives it.
        let _ = self.done.send(());
    }

    /// Hands the answer over. Only the first one counts.
    fn say(&self, answer: HostAnswer) {
        // After the deadline nobody takes it.
        let _ = self.answers.send(answer);
    }
}

#[cfg(test)]
mod tests;
