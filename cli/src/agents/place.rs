//! Where the files of an agent are.

use std::env;
use std::path::{Path, PathBuf};

use super::profile::Profile;
use crate::abort::Abort;
use crate::state_folder::state_folder_of;

/// For whom a hook is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For all sessions of this user.
    User,
    /// For the sessions in one project, of everybody who works on it.
    Project,
}

impl Scope {
    /// Returns the name, as on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// The folders that everything else is found from.
#[derive(Debug, Clone)]
pub(crate) struct Folders {
    home: PathBuf,
    project: PathBuf,
}

impl Folders {
    /// Finds them: the project is the folder that the program was started in.
    pub(crate) fn find() -> Result<Self, Abort> {
        let home = env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
            Abort::failure("there is no home folder").help("set the variable HOME")
        })?;
        let project = env::current_dir()
            .map_err(|error| Abort::failure(format!("there is no current folder: {error}")))?;
        Ok(Self { home, project })
    }

    /// Returns the folder of the project.
    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Returns the folder of the user in which an agent keeps its settings.
    pub(crate) fn of_agent(&self, profile: &Profile) -> PathBuf {
        let (variable, folder) = profile.folder;
        variable
            .and_then(env::var_os)
            .map(PathBuf::from)
            .filter(|moved| moved.is_absolute())
            .unwrap_or_else(|| self.home.join(folder))
    }

    /// Returns the file (for scripts the folder) with the hooks of an agent.
    pub(crate) fn hooks(&self, profile: &Profile, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => Some(self.of_agent(profile).join(profile.user_file)),
            Scope::Project => profile.project_file.map(|file| self.project.join(file)),
        }
    }

    /// Returns what says whether hooks of an agent are called, other than the files with its hooks.
    pub(crate) fn settings(&self, profile: &Profile, scope: Scope) -> Vec<PathBuf> {
        let (folder, files) = match scope {
            Scope::User => (self.of_agent(profile), profile.settings.user),
            Scope::Project => (self.project.clone(), profile.settings.project),
        };
        files.iter().map(|file| folder.join(file)).collect()
    }

    /// Returns the folder in which the policy of the user is, for all sessions.
    pub(crate) fn policy(&self) -> PathBuf {
        env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .filter(|config| config.is_absolute())
            .unwrap_or_else(|| self.home.join(".config"))
            .join("hookgate")
    }

    /// Returns the folder in which hookgate remembers what it has installed.
    pub(crate) fn state(&self) -> PathBuf {
        state_folder_of(&self.home).join("hookgate/installed")
    }
}
