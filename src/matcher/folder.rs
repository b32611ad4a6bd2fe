//! The folder of a session, as it is compared.

use std::borrow::Cow;

/// Whether a path says where it is, without a folder that it starts in.
pub(super) fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().first_chunk::<2>();
    path.starts_with(['/', '\\'])
        || drive.is_some_and(|d| d[0].is_ascii_alphabetic() && d[1] == b':')
}

/// Whether a part of a path is nothing, or goes to a folder that another part names.
fn is_detour(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// Takes `.`, `..`, `//` and a slash at the end out of an absolute path. By its letters: what a link
/// leads to is not looked up.
pub(super) fn normal(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix('/') else { return Cow::Borrowed(path) };
    if rest.is_empty() || !rest.split('/').any(is_detour) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Cow::Owned(format!("/{}", parts.join("/")))
}

/// What is wrong with a glob for folders that no normal path can match, if so.
pub(super) fn problem(glob: &str) -> Option<String> {
    let rest = glob.strip_prefix('/')?;
    if !rest.is_empty() && rest.split('/').any(is_detour) {
        let right = normal(glob);
        return Some(format!(
            "`.`, `..`, `//` and a `/` at the end are taken out of paths: write `{right}`"
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_taken_out() {
        for (path, expected) in [
            ("/srv/a", "/srv/a"),
            ("/", "/"),
            ("//", "/"),
            ("/srv//a/", "/srv/a"),
            ("/srv/./a/../b", "/srv/b"),
            ("/../..", "/"),
            ("/tmp/../srv/a", "/srv/a"),
            ("/a/...", "/a/..."),
            ("rel/../x", "rel/../x"),
        ] {
            assert_eq!(normal(path), expected, "{path}");
        }
        assert!(
            is_absolute("/") && is_absolute("C:\\x") && !is_absolute("a/b") && !is_absolute("~")
        );
        assert!(problem("/srv/").is_some() && problem("/srv/../a").is_some());
        assert!(problem("/srv/*").is_none() && problem("/").is_none() && problem("*/a").is_none());
    }
}
