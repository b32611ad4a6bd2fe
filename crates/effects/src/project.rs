//! The folder of the project that a session works in.

use std::path::Path;

/// What marks the top folder of a project.
const MARKS: [&str; 2] = [".git", ".hookgate"];

/// Returns the nearest marked folder, from this one upwards.
pub(crate) fn project_of(cwd: &str) -> Option<String> {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    let top = Path::new(cwd).ancestors().find(marked)?;
    top.to_str().map(str::to_owned)
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
