//! Promise: a file can be made of several, and a mistake in that is reported where it is written.

use std::fs;
use std::path::Path;

use hookgate::Registry;
use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::table::Layer;
use tempfile::TempDir;

use crate::layers::rule;

/// Files, the first of which is loaded.
fn files(texts: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in texts {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn load(folder: &Path, name: &str) -> Result<Loaded, ConfigErrors> {
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    Loader::new(&registry).layer(Layer::User).load(&folder.join(name))
}

/// All mistakes, without the folder.
fn mistakes(folder: &TempDir) -> Vec<String> {
    let errors = load(folder.path(), "hooks.toml").unwrap_err().to_string();
    let prefix = format!("{}/", folder.path().display());
    errors.lines().map(|line| line.replace(&prefix, "")).collect()
}

fn plain(id: &str) -> String {
    rule(id, "ask", "")
}

#[test]
fn what_is_included_comes_after_the_file_in_the_order_of_the_list() {
    let folder = files(&[
        (
            "hooks.toml",
            "include = [\"z.toml\", \"policies/*.toml\", \"policies/a.toml\"]\n".to_owned()
                + &plain("own"),
        ),
        ("z.toml", plain("z")),
        ("policies/b.toml", plain("b")),
        ("policies/a.toml", "include = \"deeper/c.toml\"\n".to_owned() + &plain("a")),
        ("policies/deeper/c.toml", plain("c")),
        ("policies/b_test.toml", "this is no config".to_owned()),
        ("policies/.b.toml", "neither is this".to_owned()),
        ("policies/b.md", "nor this".to_owned()),
    ]);
    let loaded = load(folder.path(), "hooks.toml").unwrap();
    let of = |spec: &hookgate::HookSpec| {
        let origin = spec.origin();
        let file = Path::new(origin.file_name().unwrap()).strip_prefix(folder.path()).unwrap();
        format!("{} {} {}", spec.id(), origin.layer(), file.display())
    };
    assert_eq!(
        loaded.table.specs().map(of).collect::<Vec<_>>(),
        [
            "own user hooks.toml",
            "z user z.toml",
            "a user policies/a.toml",
            "c user policies/deeper/c.toml",
            "b user policies/b.toml",
        ]
    );
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.included.len(), 4);
    assert_eq!(loaded.searched, [folder.path().join("policies")]);
}

/// A file may be a list of others, and nothing else.
#[test]
fn a_file_with_no_hook_of_its_own_is_one_with_those_that_it_includes() {
    let folder =
        files(&[("hooks.toml", "include = \"*.toml\"\n".to_owned()), ("a.toml", plain("a"))]);
    assert_eq!(load(folder.path(), "hooks.toml").unwrap().table.len(), 1);
    fs::write(folder.path().join("a.toml"), "").unwrap();
    assert_eq!(
        mistakes(&folder),
        ["a.toml:1:1: there is no hook in this file: nothing would be enforced"]
    );
}

/// A guard that is required may be in an included file.
#[test]
fn what_is_required_is_looked_for_in_all_of_them() {
    let guard = rule("guard", "deny", "");
    let folder = files(&[
        (
            "hooks.toml",
            "include = [\"a.toml\"]\n[require]\nevents = [\"pre_tool_use\"]\n".to_owned(),
        ),
        ("a.toml", guard),
    ]);
    let loaded = load(folder.path(), "hooks.toml").unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert!(loaded.table.unguarded().is_empty());
}

#[test]
fn mistakes_are_at_the_word() {
    let folder = files(&[
        (
            "hooks.toml",
            "include = [\"gone.toml\", \"none/*.toml\", \"*/x.toml\", \"[.toml\", \"loop.toml\"]\n"
                .to_owned()
                + &plain("own"),
        ),
        ("loop.toml", "include = \"hooks.toml\"\n".to_owned()),
    ]);
    let found = mistakes(&folder);
    assert_eq!(
        found,
        [
            "hooks.toml:1:12: the file `gone.toml` is not there, so it cannot be included",
            "hooks.toml:1:25: no file matches `none/*.toml`, so nothing is included",
            "hooks.toml:1:40: `*/x.toml` is no pattern for files: only the name of the file may have `*`, `?`, \
             `[a]` and `{a,b}`",
            "hooks.toml:1:52: `[.toml` is no pattern for files: only the name of the file may have `*`, `?`, `[a]` \
             and `{a,b}`",
            "loop.toml:1:11: `hooks.toml` includes this file already: files cannot include each other in a circle",
        ]
    );
    let own = files(&[("hooks.toml", "include = \"./hooks.toml\"\n".to_owned() + &plain("own"))]);
    assert!(mistakes(&own)[0].starts_with("hooks.toml:1:11: "), "{:?}", mistakes(&own));
}

#[test]
fn the_mistakes_of_all_files_are_reported() {
    let folder = files(&[
        ("hooks.toml", "include = [\"a.toml\", \"b.toml\"]\nnonsense = 1\n".to_owned()),
        ("a.toml", plain("a").replace("event", "evnt")),
        ("b.toml", "[[hook\n".to_owned()),
    ]);
    let found = mistakes(&folder);
    for start in ["hooks.toml:2:1: ", "a.toml:3:1: ", "b.toml:1:"] {
        assert!(found.iter().any(|line| line.starts_with(start)), "{start}: {found:?}");
    }
}

#[test]
fn there_are_64_at_most() {
    let mut texts = vec![("hooks.toml".to_owned(), "include = \"p/*.toml\"\n".to_owned())];
    texts.extend((0..64).map(|n| (format!("p/{n}.toml"), plain(&format!("h{n}")))));
    let texts: Vec<(&str, String)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let folder = files(&texts);
    assert_eq!(load(folder.path(), "hooks.toml").unwrap().table.len(), 64);
    fs::write(folder.path().join("p/more.toml"), plain("more")).unwrap();
    assert_eq!(mistakes(&folder), ["hooks.toml:1:11: more than 64 files are included"]);
}

/// Where hooks with a mistake are set aside, those of an included file are as well; that a file is not there
/// is a mistake of no hook, so the config is refused.
#[test]
fn a_hook_of_an_included_file_can_be_set_aside_a_missing_file_cannot() {
    let folder = files(&[
        ("hooks.toml", "include = \"a.toml\"\n".to_owned() + &plain("own")),
        ("a.toml", plain("a") + &plain("b").replace("builtin", "bultin")),
    ]);
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let load = || Loader::new(&registry).quarantine().load(&folder.path().join("hooks.toml"));
    let loaded = load().unwrap();
    assert_eq!(loaded.table.len(), 3);
    assert!(loaded.set_aside.iter().all(|error| error.file().ends_with("a.toml")));
    assert!(!loaded.set_aside.is_empty());
    fs::remove_file(folder.path().join("a.toml")).unwrap();
    assert!(load().unwrap_err().to_string().contains("`a.toml` is not there"));
    // A mistake that is not in a hook of an included file counts as well.
    fs::write(folder.path().join("a.toml"), "nonsense = 1\n".to_owned() + &plain("a")).unwrap();
    assert!(load().unwrap_err().to_string().contains("unknown key `nonsense`"));
}
