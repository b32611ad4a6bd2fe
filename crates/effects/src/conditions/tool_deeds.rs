//! What the calls of a tool can do at all, by its manifest, and calls that surely do what a condition asks for.

use serde_json::{Value, json};

use super::question::Question;
use crate::manifests::{Argument, ArgumentKind, Does};
use crate::patterns::Deed;

impl Question {
    /// Returns whether a tool that does this can be one that is asked for.
    pub(super) fn may_be_of(&self, does: &Does) -> bool {
        match does {
            Does::Nothing => false,
            Does::Unclear(_) | Does::Runs(_) => true,
            Does::Arguments(all) => all.iter().any(|argument| self.may_be_by(argument)),
        }
    }

    fn may_be_by(&self, argument: &Argument) -> bool {
        match (argument.kind, self) {
            // A command line, and a text for a database, can do anything.
            (ArgumentKind::Shell | ArgumentKind::PowerShell | ArgumentKind::Sql, _) => true,
            (ArgumentKind::Patch, Self::Paths { .. }) => true,
            (ArgumentKind::Connects, Self::Hosts(_)) => true,
            (ArgumentKind::Reads, Self::Paths { deeds, .. }) => deeds.contains(&Deed::Read),
            (ArgumentKind::Writes, Self::Paths { deeds, .. }) => deeds.contains(&Deed::Write),
            (ArgumentKind::Deletes, Self::Paths { deeds, .. }) => deeds.contains(&Deed::Delete),
            _ => false,
        }
    }

    /// Names what is asked for: "runs a program".
    pub(super) const fn deed(&self) -> &'static str {
        match self {
            Self::Runs(_) => "runs a program",
            Self::Pushes(_) => "pushes to a remote",
            Self::Hosts(_) => "connects to a host",
            Self::Variables(_) => "shows a variable",
            Self::Paths { deeds: [Deed::Read], .. } => "reads a file",
            Self::Paths { deeds: [Deed::Write], .. } => "writes a file",
            Self::Paths { deeds: [Deed::Delete], .. } => "deletes a file",
            Self::Paths { .. } => "reads, writes or deletes a file",
        }
    }

    /// Returns calls that may be asked for, each with the name of its tool.
    pub(super) fn examples(&self) -> Vec<(&'static str, Value)> {
        let bash = |line: String| ("Bash", json!({ "command": line }));
        let at = |tool: &'static str, path: String| (tool, json!({ "file_path": path }));
        match self {
            Self::Runs(runs) => runs.patterns.examples().into_iter().map(bash).collect(),
            Self::Hosts(hosts) => {
                let lines = hosts.patterns.examples().into_iter();
                lines.map(|host| bash(format!("curl https://{host}/w"))).collect()
            }
            Self::Paths { paths, deeds } => {
                let call = |path: String| match deeds.first() {
                    Some(Deed::Read) => at("Read", path),
                    Some(Deed::Write) => at("Write", path),
                    Some(Deed::Delete) | None => bash(format!("rm -- '{path}'")),
                };
                let paths = paths.patterns.examples().into_iter();
                paths.filter(|path| !path.contains('\'')).map(call).collect()
            }
            Self::Pushes(_) | Self::Variables(_) => Vec::new(),
        }
    }
}
