//! Looks at projects, as `hookgate trust` and `hookgate doctor` show them.

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, Loader};
use serde::Serialize;

use super::content::{Content, Text};
use super::grants::{Grants, Why};
use super::policy::Policy;
use super::project::{Project, projects};
use super::store::{Record, Store, StoreError};
use crate::sources::Search;
use crate::{foreign, kinds};

/// How a project stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It is as it was trusted: all its hooks are in force.
    Trusted,
    /// Nobody has said that it is trusted.
    Untrusted,
    /// It was trusted, and has changed.
    Changed,
    /// It must not be trusted: others can change it, or it is not for its user to say.
    Refused,
    /// A config cannot be loaded.
    Broken,
    /// It was trusted, and is not there any more.
    Gone,
}

/// What was found about a project.
#[derive(Debug)]
pub(crate) struct Examined {
    /// The folder.
    pub(crate) root: PathBuf,
    /// How it stands.
    pub(crate) state: State,
    /// Why it is not in force, as a sentence; `None` if it is.
    pub(crate) why: Option<String>,
    /// What it is made of, if it can be loaded.
    pub(crate) content: Option<Content>,
    /// What was trusted.
    pub(crate) record: Option<Record>,
    /// What is wrong with its configs.
    pub(crate) errors: Option<ConfigErrors>,
}

/// Looks at all projects whose configs would be in force in a folder.
pub(crate) fn examine_path(folder: &Path) -> Vec<Examined> {
    projects(&Search::projects(folder)).iter().map(examine).collect()
}

/// Looks at all projects that were ever trusted. Of those whose record cannot be read there is the error.
///
/// # Errors
/// The list cannot be used.
pub(crate) fn examine_all(store: &Store) -> Result<(Vec<Examined>, Vec<StoreError>), StoreError> {
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for record in store.all()? {
        match record {
            Ok(record) => found.push(examine_record(record)),
            Err(error) => broken.push(error),
        }
    }
    Ok((found, broken))
}

fn examine_record(record: Record) -> Examined {
    let here = projects(&Search::projects(&record.root));
    match here.iter().find(|project| project.root == record.root) {
        Some(project) => examine(project),
        None => Examined {
            root: record.root.clone(),
            state: State::Gone,
            why: Some("there is no config any more".to_owned()),
            content: None,
            record: Some(record),
            errors: None,
        },
    }
}

/// Looks at a project.
fn examine(project: &Project) -> Examined {
    let grants = Grants::read(std::slice::from_ref(project), &[]);
    let record = Store::of_user().and_then(|store| store.read(&project.root)).ok().flatten();
    let mut examined = Examined {
        root: project.root.clone(),
        state: State::Broken,
        why: None,
        content: None,
        record,
        errors: None,
    };
    match load(project) {
        Ok(content) => {
            let checked = grants.check(&Policy::of_machine(), &content);
            examined.state = match &checked {
                Ok(()) => State::Trusted,
                Err(Why::Fault(_) | Why::OfMachine) => State::Refused,
                Err(Why::Changed(_)) => State::Changed,
                Err(_) => State::Untrusted,
            };
            examined.why = checked.err().map(|why| why.to_string());
            examined.content = Some(content);
        }
        Err(errors) => {
            examined.why = Some("its config has mistakes: see `hookgate check`".to_owned());
            examined.errors = Some(errors);
        }
    }
    examined
}

/// Loads the configs of a project, which builds its hooks and starts none.
fn load(project: &Project) -> Result<Content, ConfigErrors> {
    let texts: Vec<Text> = project.sources.iter().map(Text::read).collect::<Result<_, _>>()?;
    let registry = kinds::registry();
    let mut loaded = Vec::new();
    for Text { source, text } in &texts {
        let loader = Loader::new(&registry).allow_unverified().layer(source.layer);
        loaded.push(foreign::read_text(loader, &source.file, text, false)?);
    }
    let parts: Vec<_> = texts.iter().zip(&loaded).collect();
    Ok(Content::of(&project.root, &parts))
}
