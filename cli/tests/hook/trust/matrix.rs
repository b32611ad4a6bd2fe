//! Whatever changes in a project that was trusted: nothing of it runs until its user has said so again.

use std::fs;
use std::os::unix::fs::symlink;

use super::ground::{Ground, OTHER, SCRIPT, hook};
use super::others::CASES as OF_OTHERS;

/// A change of a project, and what becomes of it.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Tells whether it could be made: some only by the superuser.
    pub(super) change: fn(&Ground) -> bool,
    pub(super) then: Then,
}

pub(super) enum Then {
    /// All is as it was.
    Runs,
    /// It is refused for a reason, until it is trusted again.
    Again(&'static str),
    /// It is refused for a reason, and cannot be trusted.
    Never(&'static str),
}

use Then::{Again, Never, Runs};

/// The config, which includes another one.
const CONFIG: &str = "include = ['more/*.toml']\n\
    [[hook]]\nid = 'theirs'\nevent = 'pre_tool_use'\ncommand = { argv = ['../guard.sh'] }\n";

/// Changes of what the project is made of: it has the config `.hookgate/hooks.toml`, a drop-in and the script
/// `guard.sh`.
const CASES: &[Case] = &[
    Case { name: "nothing", change: |_| true, then: Runs },
    Case {
        name: "the config says more",
        change: |g| {
            g.write(
                ".hookgate/hooks.toml",
                &format!("{CONFIG}{}", hook("again", "command = { shell = 'true' }")),
            );
            true
        },
        then: Again(".hookgate/hooks.toml"),
    },
    Case {
        name: "a comment in the config",
        change: |g| {
            g.write(".hookgate/hooks.toml", &format!("{CONFIG}# so\n"));
            true
        },
        then: Again(".hookgate/hooks.toml"),
    },
    Case {
        name: "the config is written anew, as it was",
        change: |g| {
            g.write(".hookgate/hooks.toml", CONFIG);
            true
        },
        then: Runs,
    },
    Case {
        name: "the config is replaced",
        change: |g| {
            g.write("new", &format!("\n{CONFIG}"));
            fs::rename(g.path("new"), g.path(".hookgate/hooks.toml")).unwrap();
            true
        },
        then: Again("has changed after it was trusted"),
    },
    Case {
        name: "a new drop-in",
        change: |g| {
            g.write(".hookgate/hooks.d/20.toml", &hook("new", "command = { shell = 'true' }"));
            true
        },
        then: Again("20.toml"),
    },
    Case {
        name: "a new drop-in that only refuses",
        change: |g| {
            g.write(
                ".hookgate/hooks.d/20.toml",
                &hook("new", "tool = 'X'\nbuiltin = { name = 'deny', reason = 'no' }"),
            );
            true
        },
        then: Again("20.toml"),
    },
    Case {
        name: "a changed drop-in",
        change: |g| {
            g.write(".hookgate/hooks.d/10.toml", &hook("ten", "command = { shell = 'true;' }"));
            true
        },
        then: Again("10.toml"),
    },
    Case {
        name: "a drop-in is gone",
        change: |g| {
            fs::remove_file(g.path(".hookgate/hooks.d/10.toml")).unwrap();
            true
        },
        then: Again("a config is gone"),
    },
    Case {
        name: "a drop-in has another name",
        change: |g| {
            fs::rename(g.path(".hookgate/hooks.d/10.toml"), g.path(".hookgate/hooks.d/11.toml"))
                .unwrap();
            true
        },
        then: Again("11.toml"),
    },
    Case {
        name: "a config of one person",
        change: |g| {
            g.write(".hookgate/hooks.local.toml", &hook("mine", "command = { shell = 'true' }"));
            true
        },
        then: Again("hooks.local.toml"),
    },
    Case {
        name: "a changed file that the config includes",
        change: |g| {
            g.write(".hookgate/more/a.toml", &hook("more", "command = { shell = 'true;' }"));
            true
        },
        then: Again("more/a.toml"),
    },
    Case {
        name: "a comment in a file that the config includes",
        change: |g| {
            let text = fs::read_to_string(g.path(".hookgate/more/a.toml")).unwrap();
            g.write(".hookgate/more/a.toml", &format!("{text}# so\n"));
            true
        },
        then: Again("more/a.toml"),
    },
    Case {
        name: "one more file that a pattern of the config means",
        change: |g| {
            g.write(".hookgate/more/b.toml", &hook("second", "command = { shell = 'true' }"));
            true
        },
        then: Again("more/b.toml"),
    },
    Case {
        name: "a changed script",
        change: |g| {
            g.script("guard.sh", OTHER);
            true
        },
        then: Again("guard.sh"),
    },
    Case {
        name: "a script is replaced",
        change: |g| {
            g.script("new.sh", OTHER);
            fs::rename(g.path("new.sh"), g.path("guard.sh")).unwrap();
            true
        },
        then: Again("guard.sh"),
    },
    Case {
        name: "a script is replaced by the same",
        change: |g| {
            g.script("new.sh", SCRIPT);
            fs::rename(g.path("new.sh"), g.path("guard.sh")).unwrap();
            true
        },
        then: Runs,
    },
    Case {
        name: "a script is a link to the same in the project",
        change: |g| {
            fs::rename(g.path("guard.sh"), g.path("real.sh")).unwrap();
            symlink("real.sh", g.path("guard.sh")).unwrap();
            true
        },
        then: Runs,
    },
    Case {
        name: "a link leads to another script",
        change: |g| {
            g.script("other.sh", OTHER);
            fs::remove_file(g.path("guard.sh")).unwrap();
            symlink("other.sh", g.path("guard.sh")).unwrap();
            true
        },
        then: Again("guard.sh"),
    },
];

fn project() -> Ground {
    let ground = Ground::with_script();
    ground.write(".hookgate/hooks.d/10.toml", &hook("ten", "command = { shell = 'true' }"));
    ground.write(".hookgate/hooks.toml", CONFIG);
    ground.write(".hookgate/more/a.toml", &hook("more", "command = { shell = 'true' }"));
    ground
}

#[test]
fn a_changed_project_runs_nothing_until_it_is_trusted_again() {
    let is_root = rustix::process::geteuid().is_root();
    let mut made = 0;
    for case in CASES.iter().chain(OF_OTHERS) {
        let (ground, name) = (project(), case.name);
        ground.refuses("nobody has said that the project is trusted", name);
        ground.trust(name);
        ground.runs(name);
        if !(case.change)(&ground) {
            assert!(!is_root, "{name}");
            continue;
        }
        made += 1;
        match case.then {
            Runs => ground.runs(name),
            Again(why) => {
                ground.refuses(why, name);
                assert_eq!(ground.shown()["state"], "changed", "{name}");
                ground.trust(name);
                ground.runs(name);
            }
            Never(why) => {
                ground.refuses(why, name);
                ground.cannot_be_trusted(why, name);
                ground.refuses(why, name);
            }
        }
    }
    assert!(made >= CASES.len() + OF_OTHERS.len() - 5, "{made}");
}

/// Each of them must not be trusted in the first place, either.
#[test]
fn what_others_can_change_is_never_trusted() {
    for case in OF_OTHERS {
        let Never(why) = case.then else { continue };
        let ground = project();
        if (case.change)(&ground) {
            ground.cannot_be_trusted(why, case.name);
            ground.refuses("is not run", case.name);
            assert_eq!(ground.shown()["state"], "refused", "{}", case.name);
        }
    }
}

#[test]
fn a_script_that_is_gone_is_refused_until_it_is_back() {
    let ground = project();
    ground.trust("gone");
    fs::rename(ground.path("guard.sh"), ground.outside("kept")).unwrap();
    ground.refuses("cannot be told whether the project is what was trusted", "gone");
    assert_eq!(ground.verb(&["--yes"]).exit, Some(3));
    fs::rename(ground.outside("kept"), ground.path("guard.sh")).unwrap();
    ground.runs("back");
}

#[test]
fn a_config_of_one_person_counts_as_well() {
    let ground = project();
    ground.write(".hookgate/hooks.local.toml", &hook("mine", "command = { shell = 'true' }"));
    ground.trust("local");
    ground.runs("local");
    ground.write(".hookgate/hooks.local.toml", &hook("mine", "command = { shell = 'false' }"));
    ground.refuses("hooks.local.toml", "changed");
    ground.trust("changed");
    fs::remove_file(ground.path(".hookgate/hooks.local.toml")).unwrap();
    ground.refuses("a config is gone", "gone");
}
