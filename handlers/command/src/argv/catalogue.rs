//! Which syntax a program has: the catalogue of known interpreters and wrappers, and the lists of
//! programs that cannot be followed.
//!
//! A program is looked up by the name of its file, without a version (`python3.13` is `python`) and
//! without `.exe`. A link is looked up by its own name first and then by the name of the file behind
//! it, so that `guard-python -> /usr/bin/python3` is an interpreter too.

use std::path::Path;

use super::syntax::Syntax;
use super::{interpreters, wrappers};

/// Returns the syntax of a program; `None` if the program is not in the catalogue.
pub(super) fn syntax_of(program: &Path) -> Option<&'static Syntax> {
    let by_name = |path: &Path| syntax_named(path.file_name()?.to_str()?);
    by_name(program).or_else(|| by_name(&program.canonicalize().ok()?))
}

/// Returns the syntax of the programs of this name, also with a version: `python3.13`.
pub(super) fn syntax_named(name: &str) -> Option<&'static Syntax> {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = |name: &str| {
        let interpreters = interpreters::FAMILIES.iter().copied().flatten();
        interpreters.chain(wrappers::ALL).find(|syntax| syntax.has_name(name))
    };
    known(name).or_else(|| known(bare))
}

/// Programs that take what they run from the folder in which they are started: build tools and
/// package managers, whose rules are files of the project. They are warned of.
const LOCAL: &str = "ant bundle bunx cargo composer fab gmake go gradle invoke just make mise mvn \
                     nox npm npx pipenv pnpm poetry pre-commit rake task tox uv yarn";

/// Programs that run others in a container, on another machine or under another root. The paths in
/// their arguments are not paths of this machine, so they are left as they are.
const REMOTE: &str = "chroot docker flatpak kubectl lxc nerdctl nsenter oc podman ssh";

/// Returns whether a program runs others elsewhere.
pub(super) fn is_remote(program: &Path) -> bool {
    is_listed(program, REMOTE)
}

/// Returns whether a program takes what it runs from the folder of the session.
pub(super) fn is_local(program: &Path) -> bool {
    is_listed(program, LOCAL)
}

fn is_listed(program: &Path, names: &str) -> bool {
    let name = program.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| names.split(' ').any(|listed| listed == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_name_without_a_version() {
        for name in
            ["python", "python3.13", "python3", "node", "node-20", "bash", "sudo", "java.exe"]
        {
            assert!(syntax_named(name).is_some(), "{name}");
        }
        // The controls.
        for name in ["pythonic", "mine", "", "3"] {
            assert!(syntax_named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn programs_that_cannot_be_followed_are_listed() {
        assert!(is_local(Path::new("/usr/bin/make")) && !is_local(Path::new("/usr/bin/mak")));
        assert!(is_remote(Path::new("/usr/bin/ssh")) && !is_remote(Path::new("/usr/bin/sh")));
    }
}
