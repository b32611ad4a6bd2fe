//! The folders that patterns of paths can name, for one step.

use std::path::Path;

use crate::effects::Surroundings;
use crate::patterns::Folders;

/// What marks the top folder of a project.
const MARKS: [&str; 2] = [".git", ".hookgate"];

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

fn project_of(cwd: &str) -> Option<String> {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let top = Path::new(cwd).ancestors().find(marked)?;
    top.to_str().map(str::to_owned)
}

fn temporary() -> Vec<String> {
    let mut folders = vec!["/tmp".to_owned(), "/var/tmp".to_owned()];
    let own = std::env::temp_dir();
    if let Some(own) = own.to_str().map(|own| own.trim_end_matches('/'))
        && !own.is_empty()
        && !folders.iter().any(|folder| folder == own)
    {
        folders.push(own.to_owned());
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_the_nearest_marked_folder() {
        let top = std::env::temp_dir().join(format!("hookgate-project-{}", std::process::id()));
        let inner = top.join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::create_dir_all(top.join(".git")).unwrap();
        assert_eq!(project_of(inner.to_str().unwrap()).as_deref(), top.to_str());
        std::fs::create_dir_all(top.join("a/.hookgate")).unwrap();
        assert_eq!(project_of(inner.to_str().unwrap()).as_deref(), top.join("a").to_str());
        std::fs::remove_dir_all(&top).unwrap();
    }
}
