//! Promise: the content of a step or a config is printed as data, on every screen.

use crate::support::{Ended, Folder, HOOKS};

/// Moves the cursor, clears the screen, sets the title, turns the order around, hides, begins lines
/// that look like ours, and is long.
const HOSTILE: &str = "\x1b[2J\x1b]0;owned\x07\r\nhookgate: reloaded `hooks.toml`: generation 9\n\
                       error: none\u{202e}\u{2066}\u{200b}\u{feff}\u{9b}31m\u{e0041}\u{8}\x7f\u{61c}";

/// The same in a JSON or TOML string.
fn quoted() -> String {
    let json = serde_json::to_string(HOSTILE).unwrap();
    json.trim_matches('"').to_owned()
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{61c}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Neither stream has a byte that a terminal or a reader of logs would take for something else.
fn harmless(ended: &Ended, what: &str) {
    for (name, text) in [("stdout", ended.out()), ("stderr", ended.err())] {
        let hidden: Vec<_> = text.chars().filter(|&c| c != '\n' && is_hidden(c)).collect();
        assert!(hidden.is_empty(), "{what}: {hidden:?} on {name}: {text}");
        let forged = text
            .lines()
            .find(|line| line.starts_with("hookgate: reloaded") || line.starts_with("error: none"));
        assert_eq!(forged, None, "{what}: on {name}");
        let longest = text.lines().map(str::len).max().unwrap_or_default();
        assert!(
            name == "stdout" || longest < 20_000,
            "{what}: a line of {longest} bytes on {name}"
        );
    }
}

/// Steps of which each has the text somewhere else.
fn steps() -> Vec<String> {
    let it = quoted();
    let long = "x".repeat(1 << 14);
    let raw = HOSTILE.replace(['\n', '\r'], "");
    vec![
        format!(r#"{{"hook_event_name":"{it}"}}"#),
        format!(r#"{{"hook_event_name":"{long}"}}"#),
        format!(r#"{{"hook_event_name":"stop","{it}":1,"{it}":2}}"#),
        format!(
            r#"{{"hook_event_name":"pre_tool_use","tool_name":"B","tool_input":{{"{it}":1,"{it}":2}}}}"#
        ),
        format!(
            r#"{{"hook_event_name":"pre_tool_use","tool_name":"B","tool_input":{{"{long}":1,"{long}":2}}}}"#
        ),
        format!(r#"{{"hook_event_name":"user_prompt_submit","prompt":"p","source":"{it}"}}"#),
        format!(
            r#"{{"hook_event_name":"pre_tool_use","tool_name":{{"{it}":1}},"tool_input":{{}}}}"#
        ),
        format!(r#"{{"hook_event_name":"pre_tool_use","tool_name":"{it}","tool_input":{{}}}}"#),
        format!(
            r#"{{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{{"command":"push --force {it}"}}}}"#
        ),
        format!(r#"{{"hook_event_name":"stop","protocol":"{it}"}}"#),
        format!(r#"{{"hook_event_name":"stop","step_id":"{it}","session_id":"{it}"}}"#),
        format!(r#"{{"{it}"#),
        raw,
    ]
}

#[test]
fn a_step_cannot_speak_to_the_terminal() {
    let folder = Folder::with_hooks(
        &(HOOKS.to_owned()
            + "[[hook]]\nid = \"echo\"\nevent = \"pre_tool_use\"\n\
               command = { argv = [\"sh\", \"-c\", \"cat >&2; exit 2\"] }\n\
               [[hook]]\nid = \"log\"\nevent = \"pre_tool_use\"\nbuiltin = \"audit\"\n"),
    );
    let all = steps();
    let ended = folder.run(&["run"], all.join("\n"));
    assert_eq!(ended.lines().len(), all.len());
    harmless(&ended, "run");
    for (index, step) in all.iter().enumerate() {
        harmless(&folder.run(&["eval", "--table"], step), &format!("eval --table of {index}"));
        harmless(&folder.run(&["eval"], step), &format!("eval of {index}"));
    }
    // The log is lines as well.
    let mut logged = folder.hookgate(&["run", "--quiet"]);
    logged.env("HOOKGATE_LOG", "info");
    harmless(&crate::support::run(logged, all.join("\n").as_bytes()), "the log");
}

/// Each of them is a config with the text somewhere else.
fn configs() -> Vec<String> {
    let it = quoted();
    let hook = |more: &str| format!("[[hook]]\nid = \"a\"\nevent = \"pre_tool_use\"\n{more}\n");
    let deny = "builtin = { name = \"deny\", reason = \"no\" }";
    vec![
        hook(deny).replace("\"a\"", &format!("\"{it}\"")),
        hook(deny).replace("pre_tool_use", &it),
        hook(&format!("\"{it}\" = 1\n{deny}")),
        hook(&format!("after = \"{it}\"\n{deny}")),
        hook(&format!("mode = \"{it}\"\n{deny}")),
        hook(&format!("tags = \"{it}\"\n{deny}")),
        hook(&format!("tool_regex = \"({it}\"\n{deny}")),
        hook(&format!("tool_glob = \"[{it}\"\n{deny}")),
        hook(&format!("tool_regex = \"{it}.*\"\n{deny}")),
        hook(&format!("input = {{ \"/a\" = {{ glob = \"x{it}\" }} }}\n{deny}")),
        hook(&format!("builtin = \"{it}\"")),
        hook(&format!("handler = {{ kind = \"{it}\" }}")),
        hook(&format!("command = {{ argv = [\"{it}\"] }}")),
        hook(&format!("command = {{ argv = [\"true\", \"{it}\"] }}")),
        hook(&format!("http = {{ url = \"http://{it}\" }}")),
        hook(&format!("timeout = \"{it}\"\n{deny}")),
        format!("{it} = \n# \u{202e}{}", HOSTILE.replace(['\n', '\r'], "")),
        hook(deny) + "x = '\u{202e}\u{9b}31m'\n",
        hook(&format!("mode = \"{}\"\n{deny}", "x".repeat(1 << 20))),
    ]
}

#[test]
fn a_config_cannot_speak_to_the_terminal() {
    for (index, config) in configs().iter().enumerate() {
        let folder = Folder::with_hooks(config);
        for verb in ["check", "list"] {
            for output in ["--json", "--table"] {
                let ended = folder.run(&[verb, output], "");
                harmless(&ended, &format!("{verb} {output} of {index}"));
            }
        }
        harmless(&folder.run(&["eval", "--table"], crate::support::bash("ls")), "eval");
    }
}

#[test]
fn a_gold_set_cannot_speak_to_the_terminal() {
    let folder = Folder::with_hooks(HOOKS);
    let it = quoted();
    let line = format!(
        r#"{{"envelope":{{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{{"command":"push --force {it}"}}}},"label":"allow","note":"{it}"}}"#
    );
    folder.write("gold.jsonl", &line);
    let eval = ["judge", "eval", "gold.jsonl", "--hook", "no-force-push"];
    for output in ["--json", "--table"] {
        let ended = folder.run(&[&eval[..], &[output]].concat(), "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        harmless(&ended, &format!("judge eval {output}"));
    }
    for wrong in [line.replace("label", &it), line.replace("\"allow\"", &format!("\"{it}\""))] {
        folder.write("gold.jsonl", wrong);
        let ended = folder.run(&eval, "");
        assert_ne!(ended.code(), 0);
        harmless(&ended, "a gold set that is none");
    }
}

/// The text without what only colours it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        let colour = part[end..].starts_with('m');
        text + if colour { &part[end + 1..] } else { "\x1b" }
    })
}

/// On a terminal mistakes are drawn into the text of the file, and there are colours.
#[test]
fn nothing_but_colours_reaches_a_terminal() {
    if !hookgate_test_support::needs::program("script") {
        return;
    }
    let hookgate = env!("CARGO_BIN_EXE_hookgate");
    let mut coloured = false;
    for config in configs() {
        let folder = Folder::with_hooks(&config);
        for verb in ["check", "list"] {
            let mut script = std::process::Command::new("script");
            script.args(["-qec", &format!("{hookgate} {verb}"), "/dev/null"]);
            script.current_dir(folder.path("")).env("TERM", "xterm").env_remove("NO_COLOR");
            let ended = crate::support::run(script, b"");
            let text = without_colours(ended.out());
            coloured |= text != ended.out();
            // A terminal makes two characters of each line end.
            let hidden: Vec<_> =
                text.chars().filter(|&c| !"\r\n".contains(c) && is_hidden(c)).collect();
            assert!(hidden.is_empty(), "{verb}: {hidden:?} in {text:?} of {config:?}");
        }
    }
    assert!(coloured, "it was no terminal");
}

/// The tests above look for what is there: the text does reach the output.
#[test]
fn what_was_taken_out_is_seen_to_be_missing() {
    let folder = Folder::with_hooks(HOOKS);
    let ended = folder.run(&["run"], &steps()[3]);
    assert!(ended.err().contains("\\u001b[2J"), "{}", ended.err());
    assert!(ended.err().contains("hookgate: reloaded"), "{}", ended.err());
}
