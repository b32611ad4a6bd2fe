//! What decides which hooks are in force for the next step, beside the configs in force themselves: the places that the
//! builtin `protect_config` protects, and the programs that change them without a word of a path.

mod loosening;
mod nested_agent;
mod own_program;
mod repositories;

use std::path::PathBuf;

use crate::agents::{Folders, PROFILES, Scope};
use crate::packs::packs_folder;
use crate::sources::{FILE_NAME, own_folders};
use crate::state_folder::state_folder;

pub(crate) use loosening::loosens;
pub(crate) use repositories::changed as changed_repositories;

/// The folder of this program in those that all programs share.
const OWN_NAME: &str = "hookgate";

/// Files of shells that start with each session of a user, and with each hook of an agent that calls a login shell:
/// they can set `PATH` and the variables that say where configs are.
const OF_SHELLS: &[&str] = &[
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".bashrc",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".pam_environment",
    ".config/environment.d",
    ".config/fish/config.fish",
    ".config/fish/conf.d",
];

/// Variables that name a folder with one of hookgate in it: what the daemon and its calls find each other by.
const OF_DAEMONS: [&str; 2] = ["XDG_RUNTIME_DIR", "LOCALAPPDATA"];

/// Variables that say where configs, state and programs are, for hookgate and for what calls it.
const VARIABLES: &[&str] = &[
    "HOME",
    "PATH",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
    "LOCALAPPDATA",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "LD_PRELOAD",
];

/// How the names of variables of hookgate begin.
const OWN_VARIABLES: &str = "HOOKGATE_";

/// Tells whether a variable says where configs, state and programs are.
pub(crate) fn is_variable_of_place(name: &str) -> bool {
    let of_agent = || PROFILES.iter().any(|profile| profile.folder.0 == Some(name));
    name.starts_with(OWN_VARIABLES) || VARIABLES.contains(&name) || of_agent()
}

/// Returns the files and folders: configs, state and packs of hookgate, its program, the settings of agents, and what
/// shells of its user read. None of them need be there.
pub(crate) fn places() -> Vec<PathBuf> {
    let mut places = own_folders();
    places.extend(state_folder().map(|folder| folder.join(OWN_NAME)));
    places.extend(packs_folder().and_then(|packs| Some(packs.parent()?.to_owned())));
    let of_daemons = OF_DAEMONS.iter().filter_map(std::env::var_os);
    let of_daemons = of_daemons.filter(|folder| !folder.is_empty());
    places.extend(of_daemons.map(|folder| PathBuf::from(folder).join(OWN_NAME)));
    places.extend(own_program::places());
    if let Some(home) = std::env::home_dir().filter(|home| home.is_absolute()) {
        places.extend(OF_SHELLS.iter().map(|file| home.join(file)));
    }
    let Ok(folders) = Folders::find() else { return places };
    for profile in PROFILES {
        places.extend(folders.hooks(profile, Scope::User));
        places.extend(folders.settings(profile, Scope::User));
        places.extend(profile.settings.machine.iter().map(PathBuf::from));
    }
    places
}

/// Returns the relative paths that decide about hooks in whatever folder they are: the files of projects.
pub(crate) fn names() -> Vec<PathBuf> {
    let of_agents = PROFILES.iter().flat_map(|profile| {
        let settings = profile.settings.project.iter().copied();
        profile.project_file.into_iter().chain(settings)
    });
    // A file that any project may have for its own programs is none of an agent.
    let of_agents = of_agents.filter(|name| *name != ".env");
    std::iter::once(FILE_NAME).chain(of_agents).map(PathBuf::from).collect()
}
