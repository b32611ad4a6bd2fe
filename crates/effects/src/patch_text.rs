//! Patches in the form of `apply_patch`: which files one would write and delete.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: new.txt
//! +a line
//! *** Update File: old.txt
//! *** Move to: newer.txt
//! @@
//! -before
//! +after
//! *** Delete File: gone.txt
//! *** End Patch
//! ```
//!
//! The readers of the agents forgive much. So more is taken for a header here than there: a file too
//! many is asked about, a file too few would be changed without a question.

/// The files of a patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PatchFiles {
    /// The paths that are written, as in the patch.
    pub(crate) writes: Vec<String>,
    /// The paths that are deleted or moved away.
    pub(crate) deletes: Vec<String>,
    /// Why there may be more of them.
    pub(crate) unclear: Option<&'static str>,
}

/// Where in a patch a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the first patch, or after one.
    Outside,
    /// Where a header is due.
    Header,
    /// In the lines of a file that is updated.
    Update,
}

/// Returns whether a text has a patch in it.
pub(crate) fn has_patch(text: &str) -> bool {
    text.lines().any(|line| line.trim_end().ends_with("*** Begin Patch"))
}

/// Reads a patch, or a text that has one in it.
pub(crate) fn read_patch(text: &str) -> PatchFiles {
    let mut files = PatchFiles::default();
    let (mut at, mut patches) = (At::Outside, 0_usize);
    let mut updated: Option<&str> = None;
    for line in text.lines() {
        // A line of context begins with a blank, and can hold anything.
        let is_body = line.starts_with([' ', '+', '-', '\t']) || line.is_empty();
        if at == At::Update && is_body {
            continue;
        }
        let header = line.trim();
        // It may come after the quote of a shell: `apply_patch '*** Begin Patch`.
        if header.ends_with("*** Begin Patch") {
            (at, patches) = (At::Header, patches + 1);
        } else if at == At::Outside {
            continue;
        } else if header == "*** End Patch" {
            at = At::Outside;
        } else if let Some(path) = path_after(header, "*** Add File:") {
            at = At::Header;
            files.writes.push(path.to_owned());
        } else if let Some(path) = path_after(header, "*** Delete File:") {
            at = At::Header;
            files.deletes.push(path.to_owned());
        } else if let Some(path) = path_after(header, "*** Update File:") {
            (at, updated) = (At::Update, Some(path));
            files.writes.push(path.to_owned());
        } else if let Some(path) = path_after(header, "*** Move to:") {
            match updated.take() {
                Some(before) => files.deletes.push(before.to_owned()),
                None => files.unclear = Some("the patch moves a file that it does not name"),
            }
            files.writes.push(path.to_owned());
        } else if header.starts_with("***") && !is_known_marker(header) {
            files.unclear = Some("the patch has a line that is not known");
        }
    }
    if patches == 0 {
        files.unclear = Some("the patch cannot be read: it has no `*** Begin Patch`");
    } else if at != At::Outside {
        files.unclear = Some("the patch has no `*** End Patch`");
    }
    if files.writes.iter().chain(&files.deletes).any(String::is_empty) {
        files.unclear = Some("the patch has a file without a name");
        files.writes.retain(|path| !path.is_empty());
        files.deletes.retain(|path| !path.is_empty());
    }
    files
}

fn path_after<'a>(header: &'a str, marker: &str) -> Option<&'a str> {
    header.strip_prefix(marker).map(str::trim)
}

/// Returns whether a line beginning with `***` is one that names no file.
fn is_known_marker(header: &str) -> bool {
    header == "*** End of File" || header.starts_with("*** Environment ID:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> (String, String, Option<&'static str>) {
        let files = read_patch(&lines.join("\n"));
        (files.writes.join(" "), files.deletes.join(" "), files.unclear)
    }

    #[test]
    fn files_are_added_updated_moved_and_deleted() {
        let read = read(&[
            "*** Begin Patch",
            "*** Add File: a b.txt",
            "+*** Delete File: not-me",
            "*** Update File: c",
            "*** Move to: d",
            "@@",
            " *** Delete File: context",
            "+x",
            "*** End of File",
            "*** Delete File: e",
            "*** End Patch",
        ]);
        assert_eq!(read, ("a b.txt c d".into(), "c e".into(), None));
    }

    #[test]
    fn a_patch_in_a_here_document_of_an_argument() {
        let lines = ["<<'EOF'", "*** Begin Patch", "*** Add File: a", "*** End Patch", "EOF"];
        assert_eq!(read(&lines), ("a".into(), String::new(), None));
    }

    #[test]
    fn headers_that_a_lenient_reader_takes() {
        let lines = ["*** Begin Patch", "  *** Delete File:a ", "*** End Patch"];
        assert_eq!(read(&lines), (String::new(), "a".into(), None));
    }

    #[test]
    fn what_cannot_be_read_is_unclear() {
        let unclear = |lines: &[&str]| read(lines).2.is_some();
        assert!(unclear(&[""]));
        assert!(unclear(&["--- a/x", "+++ b/x"]));
        assert!(unclear(&["*** Begin Patch", "*** Add File: a"]));
        assert!(unclear(&["*** Begin Patch", "*** Add File:", "*** End Patch"]));
        assert!(unclear(&["*** Begin Patch", "*** Copy File: a", "*** End Patch"]));
        assert!(unclear(&["*** Begin Patch", "*** Move to: a", "*** End Patch"]));
    }
}
