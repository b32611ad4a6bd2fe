//! What one round of a case does.

use crate::call::{Arguments, Call, Calls, TOOL};
use crate::hooks::HookSpec;

/// What one round of a case does.
#[derive(Debug, Clone)]
pub enum Work {
    /// A call is evaluated by the engine for programs without hooks.
    WithoutHooks,
    /// A call is evaluated.
    Dispatch {
        /// The hooks in force.
        hooks: Vec<HookSpec>,
        /// How many of them run.
        runs: u64,
        /// What the calls are about.
        arguments: Arguments,
        /// Whether each call is of a tool that was never seen before.
        fresh: bool,
        /// Whether the calls are made before the time that counts.
        before: bool,
    },
    /// Calls of so many tools are evaluated in turn, none of which a hook is about.
    InTurn {
        /// The hooks in force.
        hooks: Vec<HookSpec>,
        /// How many tools.
        tools: u64,
    },
    /// A table is built of nothing and put in force.
    Swap {
        /// Its hooks.
        hooks: Vec<HookSpec>,
    },
    /// As [`Work::Swap`], and a call is evaluated with it.
    SwapAndCall {
        /// The hooks of the table.
        hooks: Vec<HookSpec>,
    },
    /// One hook is replaced, round about.
    Replace {
        /// The hooks in force.
        hooks: Vec<HookSpec>,
    },
}

/// The arguments where nothing is said about them.
pub const SMALL: Arguments = Arguments::Fields(64);

/// How many bytes of arguments are made together at most.
const TOGETHER: usize = 4 << 20;

impl Work {
    /// Returns the calls that are evaluated.
    pub(crate) fn calls(&self) -> Calls {
        match self {
            Self::Dispatch { arguments, fresh, .. } => {
                Calls::new(Call::new(TOOL, *arguments), *fresh)
            }
            Self::InTurn { tools, .. } => Calls::in_turn(Call::new(TOOL, SMALL), *tools),
            Self::WithoutHooks
            | Self::Swap { .. }
            | Self::SwapAndCall { .. }
            | Self::Replace { .. } => Calls::new(Call::new(TOOL, SMALL), false),
        }
    }

    /// Returns how many rounds may be prepared together: large calls that are made before take memory.
    pub(crate) fn most_rounds(&self) -> u64 {
        match self {
            Self::Dispatch { arguments, before: true, .. } => {
                (TOGETHER / arguments.bytes()).max(1).try_into().unwrap_or(1)
            }
            _ => 1 << 20,
        }
    }

    /// Returns how many hooks there are.
    #[must_use]
    pub fn hooks(&self) -> usize {
        match self {
            Self::WithoutHooks => 0,
            Self::Dispatch { hooks, .. }
            | Self::InTurn { hooks, .. }
            | Self::Swap { hooks }
            | Self::SwapAndCall { hooks }
            | Self::Replace { hooks } => hooks.len(),
        }
    }
}
