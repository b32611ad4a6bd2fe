//! What others than the user can change, or what is outside of the project.

use std::fs;
use std::os::unix::fs::symlink;

use super::ground::{chmod, give};
use super::matrix::Case;
use super::matrix::Then::{Never, Runs};

/// Changes of who can write, and of where files are.
pub(super) const CASES: &[Case] = &[
    Case {
        name: "the script may be written by its own group",
        change: |g| {
            chmod(&g.path("guard.sh"), 0o775);
            true
        },
        then: Runs,
    },
    Case {
        name: "a script is a link out of the project",
        change: |g| {
            fs::rename(g.path("guard.sh"), g.outside("guard.sh")).unwrap();
            symlink("../guard.sh", g.path("guard.sh")).unwrap();
            true
        },
        then: Never("link out of the project"),
    },
    Case {
        name: "a script has a name outside",
        change: |g| {
            fs::hard_link(g.path("guard.sh"), g.outside("guard.sh")).unwrap();
            true
        },
        then: Never("a hard link"),
    },
    Case {
        name: "the config is a link out of the project",
        change: |g| {
            fs::rename(g.path(".hookgate/hooks.toml"), g.outside("hooks")).unwrap();
            symlink("../../hooks", g.path(".hookgate/hooks.toml")).unwrap();
            true
        },
        then: Never("link out of the project"),
    },
    Case {
        name: "the config has a name outside",
        change: |g| {
            fs::hard_link(g.path(".hookgate/hooks.toml"), g.outside("hooks")).unwrap();
            true
        },
        then: Never("a hard link"),
    },
    Case {
        name: "a drop-in is a link out of the project",
        change: |g| {
            fs::rename(g.path(".hookgate/hooks.d/10.toml"), g.outside("10")).unwrap();
            symlink("../../../10", g.path(".hookgate/hooks.d/10.toml")).unwrap();
            true
        },
        then: Never("link out of the project"),
    },
    Case {
        name: "the folder of the hooks is outside",
        change: |g| {
            fs::rename(g.path(".hookgate"), g.outside("hookgate")).unwrap();
            fs::rename(g.path("guard.sh"), g.outside("guard.sh")).unwrap();
            symlink("../hookgate", g.path(".hookgate")).unwrap();
            true
        },
        then: Never("link out of the project"),
    },
    Case {
        name: "everybody can write the script",
        change: |g| {
            chmod(&g.path("guard.sh"), 0o777);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "everybody can write the config",
        change: |g| {
            chmod(&g.path(".hookgate/hooks.toml"), 0o666);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "everybody can write a drop-in",
        change: |g| {
            chmod(&g.path(".hookgate/hooks.d/10.toml"), 0o666);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "everybody can write to the folder of the drop-ins",
        change: |g| {
            chmod(&g.path(".hookgate/hooks.d"), 0o777);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "everybody can write to the folder of the hooks",
        change: |g| {
            chmod(&g.path(".hookgate"), 0o777);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "everybody can write to the project",
        change: |g| {
            chmod(&g.work(), 0o777);
            true
        },
        then: Never("can be written by everybody"),
    },
    Case {
        name: "another group can write the script",
        change: |g| {
            let given = give(&g.path("guard.sh"), None, Some(12_345));
            chmod(&g.path("guard.sh"), 0o775);
            given
        },
        then: Never("a group that is not yours"),
    },
    Case {
        name: "another group can write to the project",
        change: |g| {
            let given = give(&g.work(), None, Some(12_345));
            chmod(&g.work(), 0o775);
            given
        },
        then: Never("a group that is not yours"),
    },
    Case {
        name: "the script belongs to somebody else",
        change: |g| give(&g.path("guard.sh"), Some(12_345), None),
        then: Never("belongs to another user"),
    },
    Case {
        name: "the config belongs to somebody else",
        change: |g| give(&g.path(".hookgate/hooks.toml"), Some(12_345), None),
        then: Never("belongs to another user"),
    },
    Case {
        name: "the project belongs to somebody else",
        change: |g| give(&g.work(), Some(12_345), None),
        then: Never("belongs to another user"),
    },
];
