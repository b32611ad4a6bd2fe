//! What trusts a project: the list of its user, or a hash that the environment names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::content::{Content, FileRole, Text};
use super::difference::{Difference, differences};
use super::policy::Policy;
use super::project::Project;
use super::store::{Record, Store, StoreError};
use super::sum::sum;

/// The variable with hashes of contents that are trusted, for runs in which nobody can be asked.
const VARIABLE: &str = "HOOKGATE_TRUST_HASH";

/// How many changes a reason names.
const NAMED: usize = 3;

/// What is known of the trust in some projects at one moment. Two that are equal trust the same contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grants {
    records: BTreeMap<PathBuf, Result<Option<Record>, StoreError>>,
    hashes: Vec<String>,
}

/// Why a project is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Why {
    /// Nobody has said so.
    #[error("nobody has said that the project is trusted")]
    Never,
    /// A hash is named, and it is not that of the content.
    #[error("the trusted hash that is named is not that of the project, which is {0}")]
    OtherHash(String),
    /// The content is another one.
    #[error("the project has changed after it was trusted ({0})")]
    Changed(String),
    /// It is not for its user to say.
    #[error(
        "only the administrator of this machine says which projects are trusted here, and this is none of them (`[trust]` in the managed config)"
    )]
    OfMachine,
    /// Others can change a file, or it is not in the project.
    #[error("{0}")]
    Fault(String),
    /// It cannot be told what it is made of.
    #[error("it cannot be told whether the project is what was trusted: {0}")]
    Broken(String),
    /// The list of trusted projects cannot be used.
    #[error("the list of trusted projects cannot be used: {0}")]
    Store(StoreError),
}

impl Grants {
    /// Reads what is known of some projects. `named` are the hashes of the command line.
    pub(crate) fn read(projects: &[Project], named: &[String]) -> Self {
        let store = Store::of_user();
        let record = |root: &Path| store.as_ref().map_err(Clone::clone)?.read(root);
        let records =
            projects.iter().map(|project| (project.root.clone(), record(&project.root))).collect();
        let variable = std::env::var(VARIABLE).unwrap_or_default();
        let split = |text: &String| -> Vec<String> {
            let words = text.split([',', ' ', '\n']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let hashes = named.iter().chain([&variable]).flat_map(split).collect();
        Self { records, hashes }
    }

    /// Returns why a project cannot be trusted whatever its hooks name. What is certainly another content is
    /// not even built.
    ///
    /// # Errors
    /// The reason.
    pub(crate) fn check_texts(
        &self,
        policy: &Policy,
        root: &Path,
        texts: &[Text],
    ) -> Result<(), Why> {
        if policy.names_some(root) || (policy.leaves_it_to_users() && !self.hashes.is_empty()) {
            return Ok(());
        }
        if !policy.leaves_it_to_users() {
            return Err(Why::OfMachine);
        }
        let record = match self.records.get(root) {
            None | Some(Ok(None)) => return Err(Why::Never),
            Some(Err(error)) => return Err(Why::Store(error.clone())),
            Some(Ok(Some(record))) => record,
        };
        let is_config = |role| matches!(role, FileRole::Project | FileRole::Local);
        let known = record.files.iter().filter(|file| is_config(file.role));
        let known: Vec<&str> = known.map(|file| file.sum.as_str()).collect();
        let now: Vec<String> = texts.iter().map(|text| sum(&text.text)).collect();
        if known == now {
            return Ok(());
        }
        let shown = |text: &Text| {
            text.source.file.strip_prefix(root).unwrap_or(&text.source.file).display().to_string()
        };
        let changed = texts.iter().zip(&now).filter(|(_, sum)| !known.contains(&sum.as_str()));
        let mut names: Vec<String> = changed.map(|(text, _)| shown(text)).collect();
        if names.is_empty() {
            names.push("a config is gone".to_owned());
        }
        Err(Why::Changed(listed(&names)))
    }

    /// Returns why a content is not trusted.
    ///
    /// # Errors
    /// The reason.
    pub(crate) fn check(&self, policy: &Policy, content: &Content) -> Result<(), Why> {
        if let Some(fault) = content.faults.first() {
            return Err(Why::Fault(fault.clone()));
        }
        if policy.names(&content.root, &content.hash) {
            return Ok(());
        }
        if !policy.leaves_it_to_users() {
            return Err(Why::OfMachine);
        }
        if self.hashes.contains(&content.hash) {
            return Ok(());
        }
        match self.records.get(&content.root) {
            Some(Ok(Some(record))) if record.hash == content.hash => Ok(()),
            Some(Ok(Some(record))) => Err(Why::Changed(summary(&differences(record, content)))),
            Some(Err(error)) => Err(Why::Store(error.clone())),
            _ if self.hashes.is_empty() => Err(Why::Never),
            _ => Err(Why::OtherHash(content.hash.clone())),
        }
    }
}

fn summary(differences: &[Difference]) -> String {
    let name = |difference: &Difference| match difference.what {
        "hook" => format!("the hook `{}`", difference.name),
        _ => difference.name.clone(),
    };
    match differences {
        [] => "in how its configs are read".to_owned(),
        all => listed(&all.iter().map(name).collect::<Vec<_>>()),
    }
}

fn listed(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
