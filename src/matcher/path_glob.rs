//! Globs for paths, compared with the folder of the session.
//!
//! These are the globs of the crate `globset`, with the rules that people know from `.gitignore`
//! and shells: `*` and `?` stay within one part of the path, `**` crosses parts, `[…]` is a class,
//! `{a,b}` are alternatives, `\` makes the next character literal. (Names and texts have other
//! globs: see [`hookgate_contract::glob`] for the reason.)
//!
//! A path is normalized by its letters before it is compared: `/srv/../etc` is `/etc`. Links are
//! not followed, since the answer could change between the check and the use.
//!
//! `globset` compares bytes. Its `?` and its classes match one byte, which is a part of a character
//! beyond ASCII. If such a glob does not match a path with such characters, it is unknown whether
//! it was meant to, and the hook is called.

use std::borrow::Cow;

use globset::{ErrorKind, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use hookgate_contract::glob::expand_braces;

use super::characters::shown;
use super::error::MatchError;
use super::glob::GlobError;
use super::name;
use super::pattern::refuse_control;
use super::truth::Truth;

/// The globs of `cwd_glob`, joined into one set.
#[derive(Debug, Default)]
pub(super) struct PathGlobs {
    set: GlobSet,
    /// Whether a glob has `?` or a class, which match single bytes.
    bytewise: bool,
}

impl PathGlobs {
    /// Compiles globs, and reports those that cannot be read or can match no path. The set is
    /// compiled once per hook; to match it costs one pass over the path, however many globs there
    /// are.
    pub(super) fn compile(
        patterns: &[String],
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
        let mut builder = GlobSetBuilder::new();
        for pattern in patterns {
            match path_glob(pattern) {
                Ok(glob) => {
                    builder.add(glob);
                    for folder in folders_of(pattern) {
                        builder.add(folder);
                    }
                }
                Err(error) => errors.push(("cwd_glob", error)),
            }
        }
        let bytewise = patterns.iter().any(|pattern| pattern.contains(['?', '[']));
        match builder.build() {
            Ok(set) => Self { set, bytewise },
            Err(error) => {
                let all = patterns.join("`, `");
                errors.push(("cwd_glob", glob_error(&all, &error)));
                Self::default()
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Returns whether one of the globs matches a folder; true if there are no globs.
    pub(super) fn hold(&self, folder: Option<&str>) -> Truth {
        if self.is_empty() {
            return Truth::True;
        }
        let Some(folder) = folder else { return Truth::Unknown };
        let path = normalized(folder);
        if self.set.is_match(&*path) {
            return Truth::True;
        }
        // A relative path could begin anywhere.
        let unclear = !is_absolute(folder) || (self.bytewise && !path.is_ascii());
        if unclear { Truth::Unknown } else { Truth::False }
    }
}

/// Returns the globs for the folders in which a glob finds everything: who writes `/srv/**` means a
/// session in `/srv` as well.
fn folders_of(pattern: &str) -> Vec<Glob> {
    let alternatives = alternatives(pattern).unwrap_or_default();
    let folders = alternatives.iter().filter_map(|glob| glob.strip_suffix("/**"));
    folders
        .filter(|folder| !folder.is_empty() && *folder != "**")
        .filter_map(|folder| path_glob(folder).ok())
        .collect()
}

fn path_glob(pattern: &str) -> Result<Glob, MatchError> {
    refuse_control(pattern)?;
    name::whole_name(pattern).map_err(|error| MatchError::name("cwd_glob", pattern, error))?;
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| glob_error(pattern, &error))?;
    let problem = match alternatives(pattern) {
        Some(all) => all.iter().find_map(|alternative| never_matches(alternative)),
        None => Some(format!("its braces stand for more than {MOST_ALTERNATIVES} globs")),
    };
    match problem {
        Some(problem) => Err(MatchError::Folder { glob: shown(pattern), problem }),
        None => Ok(glob),
    }
}

fn glob_error(pattern: &str, error: &globset::Error) -> MatchError {
    let glob = shown(pattern);
    let error = match error.kind() {
        ErrorKind::UnclosedClass => GlobError::OpenClass,
        ErrorKind::InvalidRange(start, end) => GlobError::Range(*start, *end),
        ErrorKind::UnclosedAlternates => GlobError::OpenBrace,
        ErrorKind::UnopenedAlternates => GlobError::StrayBrace,
        ErrorKind::DanglingEscape => GlobError::Escape,
        other => return MatchError::Folder { glob, problem: other.to_string() },
    };
    MatchError::Glob { glob, error }
}

/// The most globs that the braces of one glob may stand for.
const MOST_ALTERNATIVES: usize = 4096;

/// Returns the globs without braces that a valid glob stands for: `{/a,/b}/**` is `/a/**` and `/b/**`.
/// Each of them is checked, so that no alternative is dead. `None` if there are too many.
fn alternatives(glob: &str) -> Option<Vec<String>> {
    expand_braces(glob, MOST_ALTERNATIVES, |_| true)
}

/// Returns why no normalized path can match a glob without braces, or why it means less than it seems to.
fn never_matches(glob: &str) -> Option<String> {
    if glob.split('/').any(|part| part.contains("**") && part != "**") {
        return Some("`**` must be a whole part of the path, as in `/srv/**`".to_owned());
    }
    // In a glob one `\` makes the next character literal; two are a backslash.
    let escaped = glob.starts_with('\\') && !glob.starts_with(r"\\");
    if escaped || !(is_absolute(glob) || glob.starts_with("**")) {
        let shown = shown(glob);
        return Some(format!(
            "folders are absolute, and `{shown}` begins with neither `/` nor `**/`; `~` is not replaced"
        ));
    }
    let rest = glob.strip_prefix('/').unwrap_or(glob);
    if !rest.is_empty() && rest.split('/').any(is_detour) {
        let rooted = glob.starts_with('/');
        let absolute = if rooted { glob.to_owned() } else { format!("/{glob}") };
        let right = normalized(&absolute);
        let right = if rooted { &right } else { right.trim_start_matches('/') };
        return Some(format!(
            "`.`, `..`, `//` and a `/` at the end are removed from paths: write `{right}`"
        ));
    }
    None
}

/// Returns whether a path says where it begins.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().first_chunk::<2>();
    path.starts_with(['/', '\\'])
        || drive.is_some_and(|d| d[0].is_ascii_alphabetic() && d[1] == b':')
}

/// Returns whether a part of a path is empty, or leads to a folder that another part names.
fn is_detour(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// Removes `.`, `..`, `//` and a slash at the end from an absolute path. Most paths have none of
/// them and are borrowed as they are. A relative path stays: what its `..` leaves is not known.
fn normalized(path: &str) -> Cow<'_, str> {
    let Some(rest) = path.strip_prefix('/') else { return Cow::Borrowed(path) };
    if rest.is_empty() || !rest.split('/').any(is_detour) {
        return Cow::Borrowed(path);
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    Cow::Owned(format!("/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(glob: &str, folder: &str) -> Truth {
        let mut errors = Vec::new();
        let globs = PathGlobs::compile(&[glob.to_owned()], &mut errors);
        assert_eq!(errors, [], "{glob}");
        globs.hold(Some(folder))
    }

    #[test]
    fn a_star_stays_within_one_part_and_two_stars_do_not() {
        use Truth::{False, True};
        for (glob, folder, expected) in [
            ("/srv/*", "/srv/a", True),
            ("/srv/*", "/srv/a/b", False),
            ("/srv/*", "/srv", False),
            ("/srv/**", "/srv/a/b", True),
            ("/srv/**", "/srv", True),
            ("/srv/**", "/srvx", False),
            ("{/srv/**,/opt}", "/srv", True),
            ("**/b/**", "/a/b", True),
            ("/srv/**/b", "/srv/b", True),
            ("/srv/**/b", "/srv/x/y/b", True),
            ("**/b", "/x/b", True),
            ("/srv/a?", "/srv/ab", True),
            ("/srv/a?b", "/srv/a/b", False),
            ("{/srv,/opt}/**", "/opt/x/y", True),
            ("{/srv/**,/opt}", "/srv/x/y", True),
            ("/srv{,/a}", "/srv", True),
            ("/s[!a]v", "/srv", True),
            (r"/srv/\*", "/srv/a", False),
            ("/srv/*", "/srv/a\nb", True),
            ("/srv/**", "/srv/a\nb/c", True),
            ("/srv/é*", "/srv/éa", True),
            ("/SRV/*", "/srv/a", False),
            ("/srv/*", "/etc/../srv/./a/", True),
        ] {
            assert_eq!(hold(glob, folder), expected, "{glob} {folder}");
        }
    }

    #[test]
    fn what_globset_cannot_tell_is_not_told() {
        assert_eq!(hold("/srv/?", "/srv/é"), Truth::Unknown, "two bytes");
        assert_eq!(hold("/srv/[é]", "/srv/é"), Truth::Unknown);
        assert_eq!(hold("/srv/?", "/srv/ab"), Truth::False);
        assert_eq!(hold("/srv/*", "rel/a"), Truth::Unknown);
        assert_eq!(hold("/srv/*", "~"), Truth::Unknown);
    }

    #[test]
    fn globs_that_cannot_be_meant_are_refused() {
        let wrong = |glob: &str| {
            let mut errors = Vec::new();
            PathGlobs::compile(&[glob.to_owned()], &mut errors);
            errors.pop().map(|(_, error)| error.to_string()).unwrap_or_default()
        };
        for (glob, message) in [
            ("/srv/[a", "`[` is never closed"),
            ("/srv/[z-a]", "upside down"),
            ("/srv/{a", "`{` is never closed"),
            ("/srv/a}", "`}` closes nothing"),
            ("/srv/a\\", "escapes nothing"),
            ("/srv/a**", "`**` must be a whole part"),
            ("/srv/", "write `/srv`"),
            ("/srv/../a", "write `/a`"),
            // No session is in a folder that is written so: the hook would never be called.
            ("src/**", "begins with neither"),
            ("~/projects/**", "`~` is not replaced"),
            ("./**", "begins with neither"),
            (r"\~/**", "begins with neither"),
            ("$HOME/**", "begins with neither"),
            ("*", "begins with neither"),
            ("*/b", "begins with neither"),
            ("{~/a,/b}", "`~/a` begins with neither"),
            ("{/a,{/b,c}}/**", "`c/**` begins with neither"),
            ("[]{]/{/a,b}", "begins with neither"),
            ("{/srv/../a,/b}", "write `/a`"),
            ("/a{/,/b/}", "write `/a`"),
            ("**/b/", "write `**/b`"),
            (
                "/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
                "more than 4096",
            ),
        ] {
            assert!(wrong(glob).contains(message), "{glob}: {}", wrong(glob));
        }
        for right in ["/", "**", "**/b", "/srv{,/**}", "{C:,D:}/x", r"/a\{b", "/a[{]b", "/a[!]{]b"]
        {
            assert_eq!(wrong(right), "", "{right}");
        }
    }

    #[test]
    fn paths_are_normalized() {
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
            assert_eq!(normalized(path), expected, "{path}");
        }
        assert!(
            is_absolute("/") && is_absolute("C:\\x") && !is_absolute("a/b") && !is_absolute("~")
        );
    }
}
