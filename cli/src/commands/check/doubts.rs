//! What is doubtful about a config that can be used, without a step and without a call.

use std::path::PathBuf;

use hookgate::HandlerTable;
use hookgate::config::ConfigError;
use hookgate::contract::dialect::Dialect;
use hookgate::effects::Manifests;

use super::entry::{Entry, Level};
use super::texts::Texts;
use super::{
    lost_context, never_called, ownership, syntax, tool_names, uncertified, undelivered, unmeasured,
};
use crate::sources::PassedOver;

/// What is looked at.
pub(in crate::commands) struct Subject<'a> {
    /// What messages call the configs.
    pub(in crate::commands) name: &'a str,
    /// All files of the configs.
    pub(in crate::commands) files: &'a [PathBuf],
    /// What became of them.
    pub(in crate::commands) table: &'a HandlerTable,
    /// What is known of tools.
    pub(in crate::commands) manifests: &'a Manifests,
    /// What lies beside them and is not read.
    pub(in crate::commands) passed_over: &'a [PassedOver],
    /// The agent that it is for, if one was named.
    pub(in crate::commands) agent: Option<&'a dyn Dialect>,
}

/// What is doubtful, in the order in which it is told.
#[derive(Debug, Default)]
pub(in crate::commands) struct Doubts {
    /// The warnings of the loader.
    pub(super) warnings: Vec<ConfigError>,
    /// What was found beside them.
    pub(super) others: Vec<Entry>,
    /// Hooks whose conditions fit no step.
    pub(super) never_met: Vec<Entry>,
}

impl Doubts {
    /// Finds them.
    pub(in crate::commands) fn find(
        texts: &mut Texts,
        subject: &Subject<'_>,
        warnings: Vec<ConfigError>,
    ) -> Self {
        let &Subject { name, files, table, manifests, passed_over, agent } = subject;
        let mut others: Vec<Entry> = passed_over.iter().map(Entry::of_passed_over).collect();
        others.extend(ownership::exposed(files, table, &warnings));
        others.extend(syntax::unreadable(texts, table, &mut syntax::problem_of));
        others.extend(lost_context::of(texts, table));
        others.extend(uncertified::of(texts, table));
        if let Some(agent) = agent {
            others.extend(unmeasured::of(texts, table, agent.name()));
            others.extend(never_called::of(texts, table, manifests, agent));
            others.extend(undelivered::of(texts, table, manifests, agent));
        }
        others.extend(tool_names::mistyped(texts, table, manifests, &warnings));
        let never_met = table.never_met();
        let never_met = never_met.iter().map(|found| Entry::of_finding(found, name)).collect();
        Self { warnings, others, never_met }
    }

    /// Returns all of them as entries.
    pub(super) fn into_entries(self) -> Vec<Entry> {
        let warnings = self.warnings.iter().map(|error| Entry::of_config(error, Level::Warning));
        warnings.chain(self.others).chain(self.never_met).collect()
    }

    /// Returns the messages of those that are warnings and not of these sorts.
    pub(in crate::commands) fn messages_but(self, codes: &[&str]) -> Vec<String> {
        let all = self.into_entries().into_iter();
        let warnings = all.filter(|entry| entry.level == Level::Warning);
        warnings.filter(|entry| !codes.contains(&entry.code)).map(|entry| entry.message).collect()
    }
}
