//! Which configs are in force for a session: files of several layers.
//!
//! | layer | files, each as far as it is there |
//! |---|---|
//! | managed | `/etc/hookgate/hooks.toml`, always |
//! | user | `hookgate/hooks.toml` in the folder of configurations |
//! | project | `.hookgate/hooks.toml` or `hooks.toml`, in the folder of the session or the nearest one above |
//! | local | `.hookgate/hooks.local.toml`, beside that of the project |
//! | command line | the files that are named, in place of those of user, project and local |
//!
//! Beside each of them all `hooks.d/*.toml` count, in the order of their names.

use std::path::{Path, PathBuf};

use hookgate::table::Layer;

/// The variable that names a config.
const VARIABLE: &str = "HOOKGATE_CONFIG";

/// The config of the administrator of the machine.
const MANAGED: &str = "/etc/hookgate/hooks.toml";

/// The config of a user, in the folder of configurations.
const OF_USER: &str = "hookgate/hooks.toml";

/// The configs of a project: in its own folder for such things, or without one.
const OF_PROJECT: [&str; 2] = [".hookgate/hooks.toml", "hooks.toml"];

/// One person's config of a project.
const LOCAL: &str = ".hookgate/hooks.local.toml";

/// The folder of a project that holds its hooks.
pub(crate) const OWN_FOLDER: &str = ".hookgate";

/// The folder of further configs beside one.
pub(crate) const DROP_INS: &str = "hooks.d";

/// A config, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Its layer.
    pub(crate) layer: Layer,
    /// The file.
    pub(crate) file: PathBuf,
}

impl Source {
    /// Tells whether it comes with a folder that its user may only have cloned.
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self.layer, Layer::Project | Layer::Local)
    }
}

/// Returns the configs for a session in a folder, those that bind most first. The files that are named (by
/// the command line, or else by `HOOKGATE_CONFIG`) need not be there: that is for the loader to tell.
pub(crate) fn find(given: &[PathBuf], cwd: &Path) -> Vec<Source> {
    find_below(Path::new(MANAGED), given, cwd)
}

fn find_below(managed: &Path, given: &[PathBuf], cwd: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    add(&mut sources, Layer::Managed, managed.to_owned());
    let variable = std::env::var_os(VARIABLE).filter(|named| !named.is_empty());
    let named: Vec<PathBuf> = match given {
        [] => variable.into_iter().map(PathBuf::from).collect(),
        given => given.to_vec(),
    };
    if !named.is_empty() {
        let named = named.into_iter().map(|file| Source { layer: Layer::CommandLine, file });
        sources.extend(named);
        return sources;
    }
    if let Some(user) = of_user() {
        add(&mut sources, Layer::User, user);
    }
    add_projects(&mut sources, cwd);
    sources
}

/// Returns the configs of the project of a folder, whatever `HOOKGATE_CONFIG` names.
pub(crate) fn find_projects(cwd: &Path) -> Vec<Source> {
    let mut sources = Vec::new();
    add(&mut sources, Layer::Managed, PathBuf::from(MANAGED));
    if let Some(user) = of_user() {
        add(&mut sources, Layer::User, user);
    }
    add_projects(&mut sources, cwd);
    sources.retain(Source::is_of_project);
    sources
}

/// Adds the configs of the nearest project and of one person in it.
fn add_projects(sources: &mut Vec<Source>, cwd: &Path) {
    let known: Vec<PathBuf> = sources.iter().map(|source| source.file.clone()).collect();
    let nearest = |name: &&str| {
        let found = cwd.ancestors().map(|folder| folder.join(name)).find(|file| file.is_file());
        // The folder of configurations may be above the session.
        found.filter(|file| !known.contains(file))
    };
    if let Some(project) = OF_PROJECT.iter().find_map(nearest) {
        add(sources, Layer::Project, project);
    }
    if let Some(local) = nearest(&LOCAL) {
        add(sources, Layer::Local, local);
    }
}

/// Adds a file that is there, and the drop-ins beside it.
fn add(sources: &mut Vec<Source>, layer: Layer, file: PathBuf) {
    let drop_ins = match (layer, file.parent()) {
        // Beside it are those of the project.
        (Layer::Local, _) | (_, None) => Vec::new(),
        (_, Some(folder)) => drop_ins(&folder.join(DROP_INS)),
    };
    let file = Some(file).filter(|file| file.is_file());
    sources.extend(file.into_iter().chain(drop_ins).map(|file| Source { layer, file }));
}

/// Returns the configs in a folder, in the order of their names.
fn drop_ins(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_toml = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "toml");
    // What cannot be read as a file is told by the loader: nobody who adds a guard wants to miss it.
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_toml).collect();
    files.sort();
    files
}

fn of_user() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    Some(folder.or_else(|| Some(set("HOME")?.join(".config")))?.join(OF_USER))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str) {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, "").expect("a file");
    }

    /// The machine's own config is in force whatever the command line names.
    #[test]
    fn the_managed_config_is_always_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        for file in
            ["etc/hooks.toml", "etc/hooks.d/b.toml", "etc/hooks.d/a.toml", "etc/hooks.d/x.md"]
        {
            write(folder, file);
        }
        let found = find_below(&folder.join("etc/hooks.toml"), &["mine.toml".into()], folder);
        let found: Vec<_> = found
            .iter()
            .map(|source| (source.layer, source.file.strip_prefix(folder).unwrap_or(&source.file)))
            .collect();
        assert_eq!(
            found,
            [
                (Layer::Managed, Path::new("etc/hooks.toml")),
                (Layer::Managed, Path::new("etc/hooks.d/a.toml")),
                (Layer::Managed, Path::new("etc/hooks.d/b.toml")),
                (Layer::CommandLine, Path::new("mine.toml")),
            ]
        );
    }
}
