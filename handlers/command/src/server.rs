//! Programs that other kinds of handlers start and keep, such as servers that are talked to on stdio.
//!
//! A handler of another crate says what the lines mean (a [`Conversation`]), and gets for its program
//! what the hooks of this crate have: it is found from the folder of the config and pinned, gets an
//! allow-list of variables, runs in a process group of its own, may be limited and confined, is
//! replaced when it dies, and leaves nothing behind.

use std::fmt;

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;

pub use crate::factory::Declared;
use crate::factory::{base_folder, read_spawner};
pub use crate::line_process::{LineError, LineProcess};
use crate::pool::PoolSettings;
pub use crate::pool::{Conversation, ProgramPool};
use crate::run::Spawner;
use crate::settings::CommandLine;

/// A program that is kept, as its settings describe it. It was not started yet.
///
/// The settings are a command line under a key of the caller's, and `env`, `set_env`, `grace`,
/// `limits`, `sandbox`, `shim`, `workers`, `queue`, `max_calls`, `startup` and `idempotent`, as
/// [`SETTINGS`](crate::SETTINGS) has them.
pub struct ServerProgram {
    spawner: Spawner,
    declared: Declared,
    pool: PoolSettings,
    max_output: usize,
}

impl ServerProgram {
    /// Reads the settings. No program is started: it looks at files only, and hashes those of the hook.
    ///
    /// Returns `None` if they are wrong; all that is wrong is then noted in them.
    pub fn read(
        settings: &mut Settings<'_>,
        key: &'static str,
        context: &BuildContext<'_>,
    ) -> Option<Self> {
        let base = base_folder(settings, key, context)?;
        let argv = settings.list(key);
        let command_line =
            argv.and_then(|argv| CommandLine::from_argv(settings, key, &argv, &base));
        let pool = PoolSettings::read(settings);
        let (spawner, declared) = read_spawner(settings, command_line, base, context.output)?;
        Some(Self { spawner, declared, pool, max_output: context.output })
    }

    /// Makes the pool in which its processes are kept, and what its handler is to declare. A line may
    /// have as many bytes as an answer.
    #[must_use]
    pub fn into_pool<C: Conversation>(self, conversation: C) -> (ProgramPool<C>, Declared) {
        let pool = ProgramPool::new(self.spawner, self.pool, self.max_output, conversation);
        (pool, self.declared)
    }
}

impl fmt::Debug for ServerProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its variables may hold secrets.
        let program = &self.spawner.command_line.program;
        f.debug_struct("ServerProgram").field("program", program).finish_non_exhaustive()
    }
}
