//! Whether the exit status of a program counts.

use serde_json::json;

use super::random::Random;
use super::world::World;
use super::{commands, condition, lines, seed};

struct Lines(Random);

impl Lines {
    fn statement(&mut self, depth: usize) -> String {
        let inner = |lines: &mut Self| lines.list(depth + 1, 1);
        match self.0.below(if depth < 2 { 34 } else { 15 }) {
            0..=5 => "checks".to_owned(),
            6 | 7 => "true".to_owned(),
            8 => "false".to_owned(),
            9 => self.0.pick(&["exit", "exit 0", "exit 1", "return 1"]).to_owned(),
            10 => self
                .0
                .pick(&["set -e", "set -o pipefail", "set -euo pipefail", "set +e"])
                .to_owned(),
            11 => self
                .0
                .pick(&["test -e nope", "[ 1 = 1 ]", "cd ..", "x=1", ": > /dev/null"])
                .to_owned(),
            12 => self
                .0
                .pick(&[
                    "time checks",
                    "env A=1 checks",
                    "nice checks",
                    "timeout 5 checks",
                    "exec checks",
                ])
                .to_owned(),
            13 => "! checks".to_owned(),
            14 => self
                .0
                .pick(&["trap 'exit 0' EXIT", "trap 'true' ERR", "eval checks", "trap - EXIT"])
                .to_owned(),
            15 | 16 => format!("({})", inner(self)),
            17 | 18 => format!("{{ {}; }}", inner(self)),
            19 | 20 => format!("if {}; then {}; fi", inner(self), inner(self)),
            21 => format!("while {}; do {}; break; done", inner(self), inner(self)),
            22 => format!("for x in 1 2; do {}; done", inner(self)),
            23 => format!("go() {{ {}; }}; go", inner(self)),
            24 => format!("bash -c '{}'", inner(self).replace('\'', "")),
            25 => format!("bash -ec '{}'", inner(self).replace('\'', "")),
            26 | 27 => format!("{} | cat", self.statement(2)),
            28 => format!("echo x | {}", self.statement(2)),
            29 => format!("echo $({})", inner(self)),
            30 => format!("x=$({})", inner(self)),
            31 => format!("{} & wait", self.statement(2)),
            32 => format!("case x in x) {};; esac", inner(self)),
            _ => format!("! {}", self.statement(2)),
        }
    }

    fn list(&mut self, depth: usize, most: usize) -> String {
        let mut text = self.statement(depth);
        for _ in 0..self.0.below(most + 1) {
            let joint = self.0.pick(&[" && ", " && ", "; ", "; ", " || "]);
            text = format!("{text}{joint}{}", self.statement(depth));
        }
        text
    }
}

#[test]
fn a_status_counts_where_the_line_fails_with_the_program() {
    let world = World::new("true");
    let home = world.path("home");
    let checks = condition("runs", &json!("checks"), &home);
    let mut random = Lines(Random::new(seed()));
    let (mut counted, mut real) = (0, 0);
    let mut wrong = Vec::new();
    for _ in 0..2 * lines() {
        let line = random.list(0, 3);
        let said = commands(&checks, &line, &world.path("w"));
        world.restore();
        let failing = world.run(&line, "w", &[("CHECKS_STATUS", "1")]);
        world.restore();
        let passing = world.run(&line, "w", &[("CHECKS_STATUS", "0")]);
        // What success of the line really says: that the program ran and did not fail.
        let proves = !failing.succeeded && (!passing.succeeded || !passing.log.is_empty());
        let counts = said.iter().any(|one| one.status_counts && one.shown.is_some());
        if counts && !proves {
            wrong.push(line.clone());
        }
        counted += usize::from(counts);
        real += usize::from(proves && passing.succeeded);
    }
    println!("the status counts in {counted} lines, of {real} in which success proves it");
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(counted * 2 > real, "it does not count as rarely as that");
}
