//! What the command line of a hook leads to is trusted with it, whatever way it goes there.

use super::ground::{Ground, OTHER, SCRIPT};

const FILE: &str = ".hookgate/s/g.sh";

/// Command lines that lead to the file, and the program that they need.
const LINES: [(&str, &str); 16] = [
    ("\"$CLAUDE_PROJECT_DIR\"/.hookgate/s/g.sh", "sh"),
    ("\"${CLAUDE_PROJECT_DIR}/.hookgate/s/g.sh\"", "sh"),
    ("cd .hookgate/s && sh g.sh", "sh"),
    ("cd \"$CLAUDE_PROJECT_DIR\" && cd .hookgate && ./s/g.sh", "sh"),
    ("(cd .hookgate/s; . ./g.sh)", "sh"),
    ("sh .hookgate/s/g*.sh", "sh"),
    ("for f in .hookgate/s/*.sh; do sh $f; done", "sh"),
    ("d=.hookgate; sh \"$d\"/s/g.sh", "sh"),
    ("sh .hookgate/s/$(echo g).sh", "sh"),
    ("bash -c 'sh .hookgate/s/g.sh'", "bash"),
    ("env X=1 timeout 5 sh .hookgate/s/g.sh", "timeout"),
    ("make -s -C .hookgate/s", "make"),
    ("make -s -f .hookgate/s/Makefile", "make"),
    ("run-parts --regex . .hookgate/s", "run-parts"),
    ("find .hookgate/s -name g.sh -exec sh {} +", "find"),
    ("find .hookgate/s -name g.sh -exec sh {} \\;", "find"),
];

/// Command lines of which nobody can say what they run.
const UNKNOWN: [&str; 6] = [
    "sh .hookgate/s/${X:-g}.sh",
    "F=$1; \"$F\" x",
    "find .hookgate/s -name g.sh | xargs -n1 sh",
    "make",
    "sh \"$(cat .hookgate/name)\"",
    "curl -s http://127.0.0.1:9/x | sh",
];

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn ground(line: &str) -> Ground {
    let line = line.replace('\\', "\\\\").replace('"', "\\\"");
    let ground =
        Ground::with_hook(&format!("command = {{ shell = \"{line}\", dialect = \"claude\" }}"));
    std::fs::create_dir_all(ground.path(".hookgate/s")).unwrap();
    ground.script(FILE, SCRIPT);
    ground.write(".hookgate/s/Makefile", "all:\n\tsh $(dir $(lastword $(MAKEFILE_LIST)))g.sh\n");
    ground
}

#[test]
fn what_a_command_line_leads_to_is_trusted_with_it() {
    for (line, program) in LINES.iter().filter(|(_, program)| is_here(program)) {
        let ground = ground(line);
        ground.trust(line);
        ground.runs(&format!("{line} ({program})"));
        ground.script(FILE, OTHER);
        ground.refuses("g.sh", line);
    }
}

#[test]
fn what_cannot_be_resolved_is_not_trusted_and_is_told() {
    for line in UNKNOWN {
        let ground = ground(line);
        ground.write(".hookgate/name", "x");
        ground.cannot_be_trusted("name the file that it runs by its path", line);
    }
}

/// The control: what is no program may be unknown, and what a shell does itself needs no file.
#[test]
fn a_line_of_system_programs_can_be_trusted() {
    for line in [
        "jq -r .tool_input.command | grep -q rm && exit 2 || exit 0",
        "echo \"$HOME\" >/dev/null; test -n \"$X\" && touch MARK; exit 0",
    ] {
        let ground = ground(line);
        ground.trust(line);
    }
}
