//! The refs of a repository: a file each, or a line of `packed-refs`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use hookgate_contract::file;

/// How long the file of a ref may be.
const LIMIT: u64 = 4 << 10;

/// How long `packed-refs` may be.
const PACKED_LIMIT: u64 = 8 << 20;

/// The most refs that are listed.
const MOST: usize = 20_000;

/// Reads one ref.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<String>, String> {
    if name.split('/').any(|part| part.is_empty() || part == "." || part == "..") {
        return Ok(None);
    }
    check_format(folder)?;
    let path = folder.join(name);
    match file::read_text(&path, LIMIT) {
        Ok(text) => return Ok(Some(text.trim_end().to_owned())),
        Err(error) if is_no_file(error.kind()) || path.is_dir() => {}
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display())),
    }
    let packed = packed(folder)?;
    let mut lines = refs_in(&packed);
    Ok(lines.find(|(_, packed)| *packed == name).map(|(commit, _)| commit.to_owned()))
}

/// Lists the refs below a folder, without its name.
pub(crate) fn all(folder: &Path, below: &str) -> Result<Vec<String>, String> {
    check_format(folder)?;
    let mut names = Vec::new();
    let mut open = vec![below.trim_end_matches('/').to_owned()];
    while let Some(at) = open.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&at)) else { continue };
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
            let path = format!("{at}/{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                _ => names.push(path),
            }
            if names.len() + open.len() > MOST {
                return Err(format!("{} has too many refs", folder.display()));
            }
        }
    }
    let packed = packed(folder)?;
    names.extend(refs_in(&packed).map(|(_, name)| name.to_owned()).take(MOST));
    let mut found: Vec<String> =
        names.iter().filter_map(|name| name.strip_prefix(below)).map(str::to_owned).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn packed(folder: &Path) -> Result<String, String> {
    let path = folder.join("packed-refs");
    match file::read_text(&path, PACKED_LIMIT) {
        Ok(text) => Ok(text),
        Err(error) if is_no_file(error.kind()) => Ok(String::new()),
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
    }
}

/// The commits and names of `packed-refs`; comments and the commits of tags are left out.
fn refs_in(packed: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = packed.lines().filter(|line| !line.starts_with(['#', '^']));
    lines.filter_map(|line| line.split_once(' '))
}

fn check_format(folder: &Path) -> Result<(), String> {
    match folder.join("reftable").is_dir() {
        true => Err(format!("{} keeps its refs in a table (reftable)", folder.display())),
        false => Ok(()),
    }
}

const fn is_no_file(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory)
}
