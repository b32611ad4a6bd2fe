//! Patterns of paths that mean a file where a folder was meant, or another name than it seems.

use hookgate_contract::look_alike::LookAlike;
use hookgate_contract::quote::Quoted;

use super::read::Paths;
use crate::patterns::Deed;

/// Names that folders have, and files do not.
const FOLDERS: &str = "src lib libs docs tests migrations node_modules vendor secrets assets packages apps infra \
    .git .github .gitlab .ssh .aws .gnupg .kube .docker .config .vscode .idea .claude .cursor .husky .hookgate \
    etc usr var opt home";

/// Returns what is doubtful about the patterns of a condition.
pub(super) fn doubts(key: &str, paths: &Paths, deeds: &[Deed]) -> Vec<String> {
    let written = paths.written.iter();
    let hidden = written.clone().filter_map(|pattern| {
        let odd = LookAlike::find(pattern)?;
        (odd.is_hidden() || is_dash_in_name(pattern, &odd)).then(|| {
            format!("`{key}`: `{}` has {odd}: write `{}`", Quoted(pattern), Quoted(&odd.plain))
        })
    });
    // To delete a folder is what a pattern for it means; what is done to the files in it, another one means.
    let only_itself =
        matches!(deeds, [Deed::Write | Deed::Read]) && !paths.patterns.is_of_folders();
    let wanted = written.filter(|pattern| only_itself && !pattern.starts_with('!'));
    let knows = paths
        .written
        .iter()
        .any(|pattern| pattern.ends_with("/**") || pattern.ends_with('/') || pattern == "~");
    // Who writes `/etc/**` beside `/home` means the folder itself.
    let meant = |pattern: &&String| knows && pattern.starts_with(['/', '~', '$']);
    let folders = wanted.filter(|pattern| is_folder(pattern) && !meant(pattern)).map(|pattern| {
        format!(
            "`{key}`: `{}` means a file of that name, and not what is in a folder: write `{}/**`",
            Quoted(pattern),
            Quoted(pattern)
        )
    });
    hidden.chain(folders).collect()
}

fn is_folder(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or_default();
    FOLDERS.split_ascii_whitespace().any(|folder| folder == name)
}

/// Returns whether a dash stands between two plain letters: in prose it would not, and in names it is `-`.
fn is_dash_in_name(pattern: &str, odd: &LookAlike) -> bool {
    let before = pattern.get(..odd.at).and_then(|text| text.chars().next_back());
    let after = pattern.get(odd.at + odd.found.len_utf8()..).and_then(|text| text.chars().next());
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase());
    matches!(odd.found, '\u{2010}'..='\u{2015}' | '\u{2212}')
        && is_letter(before)
        && is_letter(after)
}
