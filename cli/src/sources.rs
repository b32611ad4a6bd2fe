//! Which configs are in force for a session: files of several layers.
//!
//! | layer | files, each as far as it is there |
//! |---|---|
//! | managed | `/etc/hookgate/hooks.toml`, on Windows `C:\Program Files\hookgate\hooks.toml`, always |
//! | user | `hookgate/hooks.toml` in the folder of configurations |
//! | project | `.hookgate/hooks.toml` or `hooks.toml`, in the folder of the session or the nearest one above |
//! | local | `.hookgate/hooks.local.toml`, beside that of the project |
//! | command line | the files that are named, in place of those of user, project and local |
//!
//! Beside each of them all `hooks.d/*.toml` count, in the order of their names, but for test files; so do files in
//! JSON and YAML there.
//!
//! Only what is not there is passed over. A link that leads nowhere, a pipe, a folder in the place of a file, or what
//! may not be read counts as found: to read it is an error then, since nobody can say which guards are in it.

mod found;
mod passed_over;

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, Remark};
use hookgate::table::Layer;

use found::is_found;
pub(crate) use passed_over::PassedOver;

use crate::state_folder::home;

/// The variable that names a config.
const VARIABLE: &str = "HOOKGATE_CONFIG";

/// The config of the administrator of the machine.
const MANAGED: &str = if cfg!(windows) {
    r"C:\Program Files\hookgate\hooks.toml"
} else {
    "/etc/hookgate/hooks.toml"
};

/// The config of a user, in the folder of configurations.
const OF_USER: &str = "hookgate/hooks.toml";

/// The name of a config in a folder of our own.
pub(crate) const FILE_NAME: &str = "hooks.toml";

/// The configs of a project: in its own folder for such things, or without one.
const OF_PROJECT: [&str; 2] = [".hookgate/hooks.toml", "hooks.toml"];

/// One person's config of a project.
const LOCAL: &str = ".hookgate/hooks.local.toml";

/// The folder of a project that holds its hooks.
pub(crate) const OWN_FOLDER: &str = ".hookgate";

/// The folder of further configs beside one.
pub(crate) const DROP_INS: &str = "hooks.d";

/// How the name of a config ends that is not in TOML.
pub(crate) const OTHER_ENDINGS: [&str; 3] = ["json", "yaml", "yml"];

/// How the name of a test file ends, before its ending: it is no config.
const TEST: &str = "_test";

/// The code of the mistake of a folder that cannot be read.
const UNREADABLE: &str = "unreadable_folder";

/// A config, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Its layer.
    pub(crate) layer: Layer,
    /// The file.
    pub(crate) file: PathBuf,
    /// Whether it is one of a folder of further configs.
    pub(crate) is_drop_in: bool,
    /// Whether it is such a folder itself, whose files could not be listed.
    pub(crate) is_folder: bool,
}

impl Source {
    /// Makes the source of a file that is looked for by its name.
    pub(crate) const fn new(layer: Layer, file: PathBuf) -> Self {
        Self { layer, file, is_drop_in: false, is_folder: false }
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is no regular file, cannot be read, is too large or is not UTF-8; or it is a folder that could not be
    /// listed, whatever it is by now.
    pub(crate) fn read(&self) -> Result<String, ConfigErrors> {
        if !self.is_folder {
            return hookgate::config::read(&self.file);
        }
        let why = std::fs::read_dir(&self.file).err();
        let why = why.map_or_else(|| "it has changed meanwhile".to_owned(), |e| e.to_string());
        let remark = Remark {
            code: UNREADABLE.to_owned(),
            at: 0,
            meaning: format!("the configs in this folder cannot be listed: {why}"),
            advice: "make it a folder that this user can read, or remove it".to_owned(),
        };
        Err(ConfigErrors::untranslatable(&self.file.display().to_string(), "", remark))
    }

    /// Tells whether it comes with a folder that its user may only have cloned.
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self.layer, Layer::Project | Layer::Local)
    }
}

/// Where a config is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The layer of what is there.
    pub(crate) layer: Layer,
    /// The file, or the folder.
    pub(crate) path: PathBuf,
    /// Whether it is a folder of further configs.
    pub(crate) is_folder: bool,
}

/// Returns the configs for a session in a folder, those that bind most first: see [`Search`].
pub(crate) fn find(given: &[PathBuf], cwd: &Path) -> Vec<Source> {
    Search::new(given, cwd).sources()
}

/// Returns a note about what is passed over there, if anything is: see [`Search::passed_over`].
pub(crate) fn note(given: &[PathBuf], cwd: &Path) -> Option<String> {
    let found = Search::new(given, cwd).passed_over();
    let more = match found.len() {
        0 | 1 => String::new(),
        several => format!(" (`hookgate check` shows {} more such)", several - 1),
    };
    found.first().map(|first| format!("hookgate: {first}{more}"))
}

/// Where the configs of a session in a folder come from.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    managed: PathBuf,
    /// The configs of the command line, or else that of `HOOKGATE_CONFIG`.
    named: Vec<PathBuf>,
    cwd: PathBuf,
}

impl Search {
    /// Begins a search. The files that are named (by the command line, or else by `HOOKGATE_CONFIG`) need not
    /// be there: that is for the loader to tell.
    pub(crate) fn new(given: &[PathBuf], cwd: &Path) -> Self {
        let variable = std::env::var_os(VARIABLE).filter(|named| !named.is_empty());
        let named = match given {
            [] => variable.into_iter().map(PathBuf::from).collect(),
            given => given.to_vec(),
        };
        Self { managed: MANAGED.into(), named, cwd: cwd.to_owned() }
    }

    /// Returns the configs, those that bind most first.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let mut sources = Vec::new();
        add(&mut sources, Layer::Managed, self.managed.clone());
        if !self.named.is_empty() {
            let named = self.named.iter().cloned();
            sources.extend(named.map(|file| Source::new(Layer::CommandLine, file)));
            return sources;
        }
        if let Some(user) = of_user() {
            add(&mut sources, Layer::User, user);
        }
        let known: Vec<PathBuf> = sources.iter().map(|source| source.file.clone()).collect();
        if let Some(project) = self.project(&known) {
            add(&mut sources, Layer::Project, project);
        }
        let mut locals = self.cwd.ancestors().map(|folder| folder.join(LOCAL));
        if let Some(local) = locals.find(|file| is_found(file)) {
            add(&mut sources, Layer::Local, local);
        }
        sources
    }

    /// Returns what lies where configs are looked for, looks like one, and is none: its guards are not in force.
    pub(crate) fn passed_over(&self) -> Vec<PassedOver> {
        let mut found = passed_over::beside(&self.managed, false);
        if self.named.is_empty() {
            of_user().iter().for_each(|user| found.extend(passed_over::beside(user, false)));
            let own = self.cwd.ancestors().map(|folder| folder.join(OWN_FOLDER));
            if let Some(own) = own.into_iter().find(|own| own.is_dir()) {
                found.extend(passed_over::beside(&own.join(FILE_NAME), true));
            }
            found.extend(passed_over::in_project(&self.cwd, self.project(&[]).as_deref()));
        }
        found
    }

    /// Returns every place that is looked at, in the order of the layers.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        let mut file = |layer, path| places.push(Place { layer, path, is_folder: false });
        file(Layer::Managed, self.managed.clone());
        if self.named.is_empty() {
            of_user().into_iter().for_each(|path| file(Layer::User, path));
            for name in OF_PROJECT {
                self.cwd.ancestors().for_each(|folder| file(Layer::Project, folder.join(name)));
            }
            self.cwd.ancestors().for_each(|folder| file(Layer::Local, folder.join(LOCAL)));
        }
        self.named.iter().for_each(|path| file(Layer::CommandLine, path.clone()));
        let of_project = self.project(&[]).into_iter().map(|path| (Layer::Project, path));
        let with_drop_ins = std::iter::once((Layer::Managed, self.managed.clone()));
        let user = of_user().into_iter().map(|path| (Layer::User, path));
        let with_drop_ins =
            with_drop_ins.chain(user.chain(of_project).filter(|_| self.named.is_empty()));
        for (layer, path) in with_drop_ins {
            let Some(path) = path.parent().map(|folder| folder.join(DROP_INS)) else { continue };
            places.push(Place { layer, path, is_folder: true });
        }
        places.sort_by_key(|place| place.layer);
        places
    }

    /// Tells whether a place is one of a folder above that of the session.
    pub(crate) fn is_above(&self, place: &Place) -> bool {
        matches!(place.layer, Layer::Project | Layer::Local) && !place.path.starts_with(&self.cwd)
    }

    /// Returns a source whose file is written as the session would write it: relative to its folder.
    pub(crate) fn near(&self, mut source: Source) -> Source {
        source.file = self.relative(source.file);
        source
    }

    /// Returns a place that is written so.
    pub(crate) fn near_place(&self, place: &Place) -> Place {
        Place { path: self.relative(place.path.clone()), ..*place }
    }

    fn relative(&self, path: PathBuf) -> PathBuf {
        path.strip_prefix(&self.cwd).map(Path::to_path_buf).unwrap_or(path)
    }

    /// Returns where it is looked, in words.
    pub(crate) fn phrase(&self) -> String {
        let mut words = vec![self.managed.display().to_string()];
        words.extend(of_user().map(|user| user.display().to_string()));
        words.push(format!("{} or {} here and in the folders above", OF_PROJECT[0], OF_PROJECT[1]));
        words.push(LOCAL.to_owned());
        format!("{}; `-c FILE` or {VARIABLE} names another one", words.join(", "))
    }

    /// Returns the config of the project: that of the nearest folder that has one. The folder of configurations of
    /// the user may be above the session; what is known already is none of a project.
    fn project(&self, known: &[PathBuf]) -> Option<PathBuf> {
        self.cwd.ancestors().find_map(|folder| {
            let mut files = OF_PROJECT.iter().map(|name| folder.join(name));
            files.find(|file| !known.contains(file) && has_config(file))
        })
    }

    /// Returns the configs of the machine.
    pub(crate) fn managed() -> Vec<Source> {
        let mut sources = Vec::new();
        add(&mut sources, Layer::Managed, MANAGED.into());
        sources
    }

    /// Returns the configs of the project, whatever `HOOKGATE_CONFIG` names.
    pub(crate) fn projects(cwd: &Path) -> Vec<Source> {
        let search = Self { managed: MANAGED.into(), named: Vec::new(), cwd: cwd.to_owned() };
        let mut sources = search.sources();
        sources.retain(Source::is_of_project);
        sources
    }
}

/// Tells whether a project has its config here, or drop-ins in a folder of their own without one.
fn has_config(file: &Path) -> bool {
    let Some(folder) = file.parent() else { return false };
    let is_own = folder.file_name().is_some_and(|name| name == OWN_FOLDER);
    is_found(file) || (is_own && !drop_ins(Layer::Project, &folder.join(DROP_INS)).is_empty())
}

/// Adds a file that is there, and the drop-ins beside it.
fn add(sources: &mut Vec<Source>, layer: Layer, file: PathBuf) {
    let drop_ins = match (layer, file.parent()) {
        // Beside it are those of the project.
        (Layer::Local, _) | (_, None) => Vec::new(),
        (_, Some(folder)) => drop_ins(layer, &folder.join(DROP_INS)),
    };
    let file = Some(file).filter(|file| is_found(file));
    sources.extend(file.map(|file| Source::new(layer, file)));
    sources.extend(drop_ins);
}

/// Returns the configs in a folder, in the order of their names; or the folder itself, if it is there and they cannot
/// all be listed.
fn drop_ins(layer: Layer, folder: &Path) -> Vec<Source> {
    let source = |file, is_folder| Source { layer, file, is_drop_in: true, is_folder };
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()
    });
    let Ok(mut files) = listed else {
        return is_found(folder).then(|| source(folder.to_owned(), true)).into_iter().collect();
    };
    // What cannot be read as a file is told when it is read: nobody who adds a guard wants to miss it. Hidden
    // files are those of editors.
    files.retain(|file| is_config(file));
    files.sort();
    files.into_iter().map(|file| source(file, false)).collect()
}

fn is_config(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let is_left_out = stem.starts_with('.') || stem.ends_with(TEST);
    let ending = file.extension().unwrap_or_default();
    !is_left_out && (ending == "toml" || OTHER_ENDINGS.iter().any(|other| ending == *other))
}

/// Returns the folders in which hookgate itself is configured: that of the machine and that of the user.
pub(crate) fn own_folders() -> Vec<PathBuf> {
    let files = std::iter::once(PathBuf::from(MANAGED)).chain(of_user());
    files.filter_map(|file| Some(file.parent()?.to_owned())).collect()
}

fn of_user() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    Some(folder.or_else(|| Some(home()?.join(".config")))?.join(OF_USER))
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
        for file in [
            "etc/hooks.toml",
            "etc/hooks.d/b.toml",
            "etc/hooks.d/a.toml",
            "etc/hooks.d/a_test.toml",
            "etc/hooks.d/.a.swp.toml",
            "etc/hooks.d/x.md",
            "etc/hooks.d/c.yaml",
            "etc/hooks.d/c_test.yaml",
            "etc/hooks.d/d.json",
        ] {
            write(folder, file);
        }
        let search = Search {
            managed: folder.join("etc/hooks.toml"),
            named: vec!["mine.toml".into()],
            cwd: folder.to_owned(),
        };
        let found = search.sources();
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
                (Layer::Managed, Path::new("etc/hooks.d/c.yaml")),
                (Layer::Managed, Path::new("etc/hooks.d/d.json")),
                (Layer::CommandLine, Path::new("mine.toml")),
            ]
        );
    }
}
