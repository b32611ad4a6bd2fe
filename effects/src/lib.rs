//! What a tool call would do, whatever the tool: the programs it runs, the files it reads, writes and
//! deletes, the hosts it connects to, and what cannot be told before it runs.

mod effects;
pub mod options;
pub mod paths;
pub mod patterns;
pub mod programs;
mod run;
pub mod shell;
mod word;

pub use effects::{Effects, HostEffect, PathEffect, Surroundings, Unclear, UnclearWhat};
pub use run::{CodeFrom, Origin, Place, Redirect, RedirectKind, Run};
pub use word::{Word, WordPart};
