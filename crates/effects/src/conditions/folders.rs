//! The folders that patterns of paths can name, for one step.

use std::path::Path;

use hookgate_contract::system;

use crate::effects::Surroundings;
use crate::patterns::Folders;
use crate::project::project_of;

/// Returns the folders of a step. The project is looked for only if a pattern names it.
pub(super) fn folders_of(
    around: &Surroundings,
    config: Option<&str>,
    asks_project: bool,
) -> Folders {
    let project = around.cwd.as_deref().filter(|_| asks_project).and_then(project_of);
    Folders {
        home: around.home.clone(),
        cwd: around.cwd.clone(),
        // Without a mark the folder of the session is all that is known of the project.
        project: project.or_else(|| around.cwd.clone()),
        config: config.map(str::to_owned),
        tmp: temporary(),
    }
}

/// Returns the same folders with links resolved.
pub(super) fn resolved(folders: &Folders) -> Folders {
    let one = |folder: &String| {
        Path::new(folder)
            .canonicalize()
            .ok()
            .and_then(|path| path.to_str().map(str::to_owned))
            .unwrap_or_else(|| folder.clone())
    };
    Folders {
        home: folders.home.as_ref().map(one),
        cwd: folders.cwd.as_ref().map(one),
        project: folders.project.as_ref().map(one),
        config: folders.config.as_ref().map(one),
        tmp: folders.tmp.iter().map(one).collect(),
    }
}

fn temporary() -> Vec<String> {
    let mut folders = vec!["/tmp".to_owned(), "/var/tmp".to_owned()];
    let own = system::temporary_folder().unwrap_or_default();
    if let Some(own) = own.to_str().map(|own| own.trim_end_matches('/'))
        && !own.is_empty()
        && !folders.iter().any(|folder| folder == own)
    {
        folders.push(own.to_owned());
    }
    folders
}
