//! Damage to the output of programs, both those started for each step and workers.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hookgate::contract::VerdictDecision;
use tempfile::TempDir;

use crate::{DECISIONS, Damaged, OUTPUT, text};

/// Prints a file and ends as its argument says.
const COMMAND: &str = r#"#!/bin/sh
cat >/dev/null
cat "$1"
case "$2" in
    signal) kill -9 $$ ;;
    hang) exec sleep 60 ;;
    *) exit "$2" ;;
esac
"#;

/// Prints the head of a frame, a file and the tail of the frame, and ends as its argument says.
const WORKER: &str = r#"#!/bin/sh
echo '{"ready":1}'
read -r call || exit 0
id=$(printf '%s' "$call" | sed 's/^{"id":\([^,]*\),.*/\1/')
printf '{"id":%s,"verdict":' "$id"
cat "$1"
[ "$2" = whole ] && printf '}\n'
case "$2" in
    whole) read -r call ;;
    signal) kill -9 $$ ;;
    hang) exec sleep 60 ;;
    *) exit "$2" ;;
esac
"#;

/// A folder with both programs. They are written before anything is started.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in [("command", COMMAND), ("worker", WORKER)] {
        let path = folder.path().join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// How a program ends after it has printed a whole verdict, which is then none.
const ENDS: [&str; 4] = ["1", "3", "signal", "hang"];

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let name = format!("{}.txt", name.replace([' ', '-'], "_"));
    std::fs::write(folder.join(&name), bytes).unwrap();
    name
}

fn damaged(
    kind: &str,
    mode: &str,
    how: &str,
    decision: VerdictDecision,
    file: &str,
    end: &str,
) -> Damaged {
    Damaged {
        what: format!("{kind}, {how},"),
        decision,
        handler: format!("command = {{ {mode}argv = [\"./{kind}\", \"{file}\", \"{end}\"] }}"),
        late: end == "hang",
    }
}

/// All damages to the text, and all ends; `end` is how the program ends where the text is damaged.
fn of(folder: &Path, kind: &str, mode: &str, end: &str) -> Vec<Damaged> {
    let mut all = Vec::new();
    for decision in DECISIONS {
        let good = text::good(decision, false);
        for (how, damage) in text::ALL {
            let file = file(folder, &format!("{kind} {decision} {how}"), &damage(&good));
            all.push(damaged(kind, mode, how, decision, &file, end));
        }
        let whole = file(folder, &format!("{kind} {decision}"), good.as_bytes());
        for how in ENDS {
            all.push(damaged(kind, mode, &format!("ended by {how}"), decision, &whole, how));
        }
        let long = format!("{good}{}", " ".repeat(2 * OUTPUT));
        let long = file(folder, &format!("{kind} {decision} long"), long.as_bytes());
        all.push(damaged(kind, mode, "too long", decision, &long, end));
    }
    all
}

pub(crate) fn commands(folder: &Path) -> Vec<Damaged> {
    of(folder, "command", "", "0")
}

pub(crate) fn workers(folder: &Path) -> Vec<Damaged> {
    of(folder, "worker", "mode = \"worker\", ", "whole")
}
