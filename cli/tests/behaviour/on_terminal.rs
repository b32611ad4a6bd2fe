//! Promise: the screens of a terminal with 100 columns look as they are recorded here, with their colours, and the
//! pictures in docs/pictures are made of them.
//!
//! To make the pictures again: `HOOKGATE_PICTURES=write cargo test -p hookgate-cli --test behaviour on_terminal`

use std::process::Command;

use anstyle::AnsiColor;
use anstyle_svg::{Term, WIN10_CONSOLE};
use hookgate_test_support::needs;
use insta::assert_snapshot;

use crate::support::{Folder, repository, run};

/// The variable that asks for the pictures to be written.
const WRITE: &str = "HOOKGATE_PICTURES";

/// The columns of the terminal.
const COLUMNS: usize = 100;

/// How wide a column of a picture is, in tenths of a pixel.
const COLUMN: usize = 84;

/// A folder of a user, for whom a terminal is opened.
struct Terminal(Folder);

impl Terminal {
    fn new() -> Self {
        Self(Folder::new())
    }

    /// A folder with the files of a policy to begin with.
    fn with_policy(name: &str) -> Self {
        let terminal = Self::new();
        let ended = terminal.0.run(&["init", "--example", name], "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        terminal
    }

    /// Types a command line, and answers. Returns what is on the screen then, and the exit code.
    fn typed(&self, line: &str, answer: &str) -> (String, i32) {
        let hookgate = env!("CARGO_BIN_EXE_hookgate");
        let line = line.replacen("hookgate", hookgate, 1);
        let mut script = Command::new("script");
        script
            .args(["-qec", &format!("stty cols {COLUMNS} rows 50; {line}"), "/dev/null"])
            .current_dir(self.0.path(""))
            .env("TERM", "xterm-256color")
            .env("HOME", "/home/ana")
            .env("XDG_CONFIG_HOME", self.0.path("configs-of-user"))
            .env("XDG_STATE_HOME", self.0.path("state-of-user"));
        for name in
            ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "HOOKGATE_CONFIG", "HOOKGATE_LOG", "COLUMNS"]
        {
            script.env_remove(name);
        }
        let ended = run(script, answer.as_bytes());
        // A terminal makes two characters of each line end.
        (ended.out().replace("\r\n", "\n"), ended.code())
    }

    /// The screen after a command line, as it is recorded. What a machine does in its own time is masked.
    fn screen(&self, line: &str, code: i32) -> String {
        let (text, ended) = self.typed(line, "");
        assert_eq!(ended, code, "{line}: {text}");
        assert!(text.contains('\u{1b}'), "it was no terminal: {text}");
        let lines = text.lines().map(|line| wrapped(&masked(drawn_last(line))) + "\n");
        format!("\u{1b}[1m$ {line}\u{1b}[0m\n{}", lines.collect::<String>())
    }
}

/// What is left of a line on which something was drawn and wiped out again.
fn drawn_last(line: &str) -> &str {
    let line = line.rsplit_once("\u{1b}[2K").map_or(line, |(_, last)| last);
    line.rsplit_once('\r').map_or(line, |(_, last)| last)
}

/// A line as the terminal shows it: what is longer goes on in the next one.
fn wrapped(line: &str) -> String {
    let (mut out, mut column, mut in_colour) = (String::new(), 0, false);
    for c in line.chars() {
        if c == '\u{1b}' {
            in_colour = true;
        } else if in_colour {
            in_colour = c != 'm';
        } else {
            if column == COLUMNS {
                out.push('\n');
                column = 0;
            }
            column += 1;
        }
        out.push(c);
    }
    out
}

fn without_colours(line: &str) -> String {
    anstream::adapter::strip_str(line).to_string()
}

/// How long the cases have taken is another time each time.
fn masked(line: &str) -> String {
    match line.split_once("in ") {
        Some((before, after)) if before.contains("passed") => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == ' ');
            format!("{before}in 9ms{rest}")
        }
        _ => line.trim_end().to_owned(),
    }
}

/// A screen in a form that can be read in a snapshot.
fn readable(screen: &str) -> String {
    screen.replace('\u{1b}', "␛")
}

/// Holds a picture in the documentation to a screen.
fn is_pictured(name: &str, screen: &str) {
    let white = AnsiColor::BrightWhite.into();
    let term =
        Term::new().palette(WIN10_CONSOLE).fg_color(white).min_width_px(COLUMNS * COLUMN / 10);
    let picture = term.render_svg(screen);
    let file = repository().join(format!("docs/pictures/{name}.svg"));
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, &picture).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == picture,
        "{} is not this screen: make it again ({WRITE}=write)",
        file.display()
    );
}

fn has_terminal() -> bool {
    needs::program("script") && needs::program("stty")
}

#[test]
fn check_finds_nothing() {
    if !has_terminal() {
        return;
    }
    let screen = Terminal::with_policy("guard").screen("hookgate check", 0);
    is_pictured("check", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn check_finds_a_mistake() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::with_policy("guard");
    let text = std::fs::read_to_string(terminal.0.path("hooks.toml")).unwrap();
    let broken = text.replacen("mode = \"shadow\"", "mode = \"shadw\"", 1);
    terminal.0.write("hooks.toml", broken.replacen("runs = [\"npm", "rusn = [\"npm", 1));
    let screen = terminal.screen("hookgate check", 3);
    is_pictured("check-mistakes", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn list_shows_the_hooks() {
    if !has_terminal() {
        return;
    }
    let screen = Terminal::with_policy("guard").screen("hookgate list", 0);
    is_pictured("list", &screen);
    assert_snapshot!(readable(&screen));
}

/// Every column, a hook that is set aside and one that is off.
#[test]
fn list_shows_what_is_unusual() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::new();
    terminal.0.write(
        "hooks.toml",
        r#"
[[hook]]
id = "first"
event = ["pre_tool_use", "stop"]
priority = 5
timeout = "2s"
mode = "shadow"
tags = ["trial"]
command = { argv = ["true"] }

[[hook]]
id = "broken"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "dney", reason = "no" }

[[hook]]
id = "asleep"
event = "stop"
mode = "off"
tool = "Bash"
builtin = { name = "deny", reason = "no" }
"#,
    );
    assert_snapshot!(readable(&terminal.screen("hookgate list", 3)));
}

#[test]
fn why_shows_the_conditions() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::with_policy("guard");
    let line = "hookgate why no-force-push -i session.jsonl --line 8";
    let screen = terminal.screen(line, 0);
    is_pictured("why", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn why_counts_the_reasons() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::with_policy("guard");
    let screen = terminal.screen("hookgate why no-force-push -i session.jsonl", 0);
    is_pictured("why-session", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn test_passes() {
    if !has_terminal() {
        return;
    }
    let screen = Terminal::with_policy("guard").screen("hookgate test --coverage", 0);
    is_pictured("test", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn test_fails() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::with_policy("guard");
    let text = std::fs::read_to_string(terminal.0.path("hooks.toml")).unwrap();
    terminal.0.write("hooks.toml", text.replacen("\"!**/.env.example\", ", "", 1));
    let screen = terminal.screen("hookgate test", 2);
    is_pictured("test-failed", &screen);
    assert_snapshot!(readable(&screen));
}

#[test]
fn run_shows_what_was_not_let_pass() {
    if !has_terminal() {
        return;
    }
    let screen = Terminal::with_policy("guard").screen("hookgate run --stable session.jsonl", 0);
    is_pictured("run", &screen);
    assert_snapshot!(readable(&screen));
}

/// A new user types one command after the other, each as the one before has said.
#[test]
fn each_command_names_the_next_one() {
    if !has_terminal() {
        return;
    }
    let terminal = Terminal::new();
    let (asked, code) = terminal.typed("hookgate init", "\n");
    assert_eq!(code, 0, "{asked}");
    for offered in ["guard", "audit", "redact", "judge", "script"] {
        assert!(asked.contains(offered), "{offered}: {asked}");
    }
    let mut line = "check".to_owned();
    let mut typed = Vec::new();
    for _ in 0..4 {
        assert!(typed.len() > 1 || asked.contains(&format!("hookgate {line}")), "{line}: {asked}");
        let (screen, code) = terminal.typed(&format!("hookgate {line}"), "");
        assert_eq!(code, 0, "{line}: {screen}");
        let next = screen.lines().find_map(|line| {
            let line = without_colours(line);
            line.strip_prefix("next: hookgate ").map(str::to_owned)
        });
        typed.push(line.clone());
        line = match next {
            Some(next) => next,
            None => break,
        };
    }
    assert_eq!(
        typed,
        ["check", "test", "run session.jsonl", "why no-secret-files -i session.jsonl --line 5"]
    );
}

#[test]
fn the_answer_is_a_number_or_a_name() {
    if !has_terminal() {
        return;
    }
    for (answer, hook) in
        [("2\n", "log"), ("redact\n", "redact-secrets"), ("4\n", "judge"), ("5\n", "my-guard")]
    {
        let terminal = Terminal::new();
        let (screen, code) = terminal.typed("hookgate init", answer);
        assert_eq!(code, 0, "{answer}: {screen}");
        let text = std::fs::read_to_string(terminal.0.path("hooks.toml")).unwrap();
        assert!(text.contains(&format!("id = \"{hook}\"")), "{answer}: {text}");
    }
    let terminal = Terminal::new();
    let (screen, code) = terminal.typed("hookgate init", "gaurd\n");
    assert_eq!(code, 64, "{screen}");
    assert!(screen.contains("did you mean `guard`?"), "{screen}");
    assert!(!terminal.0.path("hooks.toml").exists());
}

#[test]
fn every_picture_of_a_screen_is_in_the_guide() {
    let guide = std::fs::read_to_string(repository().join("docs/guide.md")).unwrap();
    let pictures = std::fs::read_dir(repository().join("docs/pictures")).unwrap();
    let names = pictures.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let screens: Vec<String> = names.filter(|name| name.ends_with(".svg")).collect();
    assert!(screens.len() > 5, "{screens:?}");
    for name in screens {
        assert!(guide.contains(&format!("(pictures/{name})")), "{name}");
    }
}
