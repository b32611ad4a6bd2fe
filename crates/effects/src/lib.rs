//! What a tool call would do, whatever the tool: the programs it runs, the files it reads, writes and
//! deletes, the hosts it connects to, and what cannot be told before it runs.

mod action;
mod call;
mod checkout;
pub mod conditions;
mod effects;
mod git_place;
mod git_words;
mod heads;
mod host;
mod line_files;
mod manifests;
pub mod options;
mod patch_text;
pub mod paths;
pub mod patterns;
mod plain_words;
pub mod programs;
mod project;
mod pushes;
mod report;
mod run;
pub mod shell;
mod shell_names;
mod sql;
mod truth;
mod variables;
mod web_address;
mod word;

pub use action::{Action, DeniedAction};
pub use checkout::{CheckedOut, Checkout, GitFiles, GitPlace, When};
pub use effects::{
    Effects, HostEffect, PathEffect, Surroundings, Unclear, UnclearWhat, VariableEffect,
};
pub use line_files::LineFiles;
pub use manifests::Manifests;
pub use pushes::{PushEffect, PushedRefs, RefUpdate};
pub use report::EffectsReport;
pub use run::{CodeFrom, Doubt, Origin, Output, Place, Redirect, RedirectKind, Run};
pub use word::{Word, WordPart};
