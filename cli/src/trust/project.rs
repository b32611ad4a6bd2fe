//! The configs of one folder, which are trusted together.

use std::path::{Path, PathBuf};

use crate::sources::{DROP_INS, OWN_FOLDER, Source};

/// The configs of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// The folder, without links.
    pub(crate) root: PathBuf,
    /// The configs, in their order: those of the layers project and local.
    pub(crate) sources: Vec<Source>,
}

/// Returns the projects of configs that are in force together. Those of the project and those of one person
/// may be in different folders; then they are two.
pub(crate) fn projects(sources: &[Source]) -> Vec<Project> {
    let mut projects: Vec<Project> = Vec::new();
    for source in sources.iter().filter(|source| source.is_of_project()) {
        let root = root_of(&source.file);
        match projects.iter_mut().find(|project| project.root == root) {
            Some(project) => project.sources.push(source.clone()),
            None => projects.push(Project { root, sources: vec![source.clone()] }),
        }
    }
    projects
}

/// Returns the folder that a config is about. The links in the path to it are followed; those below it are
/// looked at when the files are.
pub(crate) fn root_of(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let mut folder = file.parent().unwrap_or(Path::new("/"));
    for inner in [DROP_INS, OWN_FOLDER] {
        if folder.file_name().is_some_and(|name| name == inner) {
            folder = folder.parent().unwrap_or(folder);
        }
    }
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}
