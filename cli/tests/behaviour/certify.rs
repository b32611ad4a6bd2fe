//! Promise: `hookgate certify` names each guard that does not do what it must, and how; a certificate is worth nothing
//! once its time is over or anything that it is about is another one.

use std::fs;

use hookgate_test_support::force_guard::{CANARY, SCRIPT};
use serde_json::Value;

use crate::support::Folder;

/// A folder with scripts, and a hook for each as its own lines say.
fn folder(hooks: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::new();
    let mut config = String::new();
    for (id, script, more) in hooks {
        let name = format!("{id}.sh");
        if !script.is_empty() {
            folder.write_program(&name, script);
        }
        config += &format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\ncommand = {{ argv = [\"./{name}\"] }}\n{more}\n"
        );
    }
    folder.write("hooks.toml", config);
    folder
}

/// Certifies the config of a folder: the exit code, and the certificate.
fn certify(folder: &Folder, more: &[&str]) -> (i32, Value) {
    let ended = folder.run(&[&["certify", "-c", "hooks.toml", "--json"], more].concat(), "");
    (ended.code(), ended.lines().pop().unwrap_or_else(|| panic!("{}", ended.err())))
}

/// What is said of a hook: its state, and how.
fn said<'c>(certificate: &'c Value, id: &str) -> (&'c str, &'c str) {
    let hooks = certificate["hooks"].as_array().unwrap();
    let hook = hooks.iter().find(|hook| hook["id"] == id).unwrap();
    (hook["state"].as_str().unwrap(), hook["how"].as_str().unwrap_or_default())
}

#[test]
fn five_of_five_broken_guards_are_named() {
    let never = format!(
        "tool = \"Bash\"\ninput = {{ \"/commnad\" = {{ contains = \"--force\" }} }}\n{CANARY}"
    );
    let slow = format!("timeout = \"300ms\"\n{CANARY}");
    let folder = folder(&[
        ("exits-0", "#!/bin/sh\nexit 0\n", CANARY),
        ("wrong-path", "", CANARY),
        ("bad-json", "#!/bin/sh\necho '{\"decision\":'\n", CANARY),
        ("sleeps", "#!/bin/sh\nsleep 30\n", &slow),
        ("never-matches", SCRIPT, &never),
        ("works", SCRIPT, CANARY),
    ]);
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!(code, 2, "{certificate}");
    for (id, how) in [
        ("exits-0", "let_pass"),
        ("wrong-path", "set_aside"),
        ("bad-json", "malformed"),
        ("sleeps", "timeout"),
        ("never-matches", "never_called"),
    ] {
        assert_eq!(said(&certificate, id), ("dead", how), "{certificate}");
    }
    assert_eq!(said(&certificate, "works"), ("proved", ""), "the control");
    let strict = folder.run(&["certify", "-c", "hooks.toml", "--strict"], "");
    assert_eq!(
        strict.code(),
        3,
        "a config with a mistake is refused as a whole if that is asked for"
    );
}

#[test]
fn another_hook_does_not_prove_a_dead_one() {
    let folder = folder(&[("works", SCRIPT, CANARY), ("dead", "#!/bin/sh\nexit 0\n", CANARY)]);
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!((code, said(&certificate, "dead")), (2, ("dead", "let_pass")));
}

#[test]
fn a_hook_is_tested_as_if_it_were_in_force() {
    let shadow = format!("mode = \"shadow\"\n{CANARY}");
    let off = format!("mode = \"off\"\nrole = \"guard\"\n{CANARY}");
    let folder = folder(&[("tried", SCRIPT, &shadow), ("off", SCRIPT, &off)]);
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!((code, said(&certificate, "tried")), (0, ("proved", "")));
    assert_eq!(certificate["hooks"][0]["mode"], "shadow");
    assert_eq!(said(&certificate, "off"), ("untested", "off"));
}

#[test]
fn what_stops_everything_is_not_proved() {
    let stops = "#!/bin/sh\nexit 2\n";
    let half = CANARY.lines().filter(|line| !line.contains("allow")).collect::<Vec<_>>().join("\n");
    let folder = folder(&[("both", stops, CANARY), ("half", stops, &half), ("none", stops, "")]);
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!((code, said(&certificate, "both")), (2, ("dead", "stopped")));
    assert_eq!(said(&certificate, "half"), ("untested", "no_pass"));
    assert_eq!(said(&certificate, "none"), ("untested", "no_canary"));
}

#[test]
fn a_hook_without_canaries_is_untested_and_dead_if_it_fails() {
    let folder = folder(&[("answers", SCRIPT, ""), ("fails", "#!/bin/sh\nexit 7\n", "")]);
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!((code, said(&certificate, "fails")), (2, ("dead", "exit")));
    assert_eq!(said(&certificate, "answers"), ("untested", "no_canary"));

    let alone = self::folder(&[("answers", SCRIPT, "")]);
    assert_eq!(certify(&alone, &[]).0, 0);
    assert_eq!(certify(&alone, &["--deny-untested"]).0, 2);
}

#[test]
fn steps_are_made_up_for_what_always_answers_the_same() {
    let conditions = [
        "",
        "tool = \"Bash\"\ninput = { \"/command\" = { regex = 'push.*--force' } }",
        "tool = \"Write|Edit\"\ninput = { \"/file_path\" = { starts_with = \"/etc/\", ends_with = \".conf\" } }",
        "runs = [\"git push --force|-f\"]",
        "reads = \"~/.ssh/**\"",
        "any = [{ tool = \"Read\" }, { tool = \"Bash\", runs = \"sudo\" }]",
    ];
    let hook = |(number, conditions): (usize, &&str)| {
        format!(
            "[[hook]]\nid = \"h{number}\"\nevent = \"pre_tool_use\"\n{conditions}\n\
             builtin = {{ name = \"deny\", reason = \"no\" }}\n"
        )
    };
    let prompt = "[[hook]]\nid = \"prompt\"\nevent = \"user_prompt_submit\"\n\
                  payload = { \"/prompt\" = { contains = \"drop table\" } }\n\
                  builtin = { name = \"ask\", reason = \"sure?\" }\n";
    let hooks: String = conditions.iter().enumerate().map(hook).collect();
    let folder = Folder::with_hooks(&(hooks + prompt));
    let (code, certificate) = certify(&folder, &["--deny-untested"]);
    assert_eq!(code, 0, "{certificate}");
    let hooks = certificate["hooks"].as_array().unwrap();
    assert_eq!(hooks.len(), 7);
    assert!(hooks.iter().all(|hook| hook["canaries"][0]["made_up"] == true), "{certificate}");
}

#[test]
fn a_rewriter_must_make_the_change() {
    let hook = |id: &str, to: &str| {
        format!(
            r#"
[[hook]]
id = "{id}"
event = "pre_tool_use"
tool = "Bash"
builtin = {{ name = "rewrite", from = "npm", to = "pnpm" }}
canary = [
    {{ step = {{ tool_name = "Bash", tool_input = {{ command = "npm test" }} }}, patch = {{ tool_input = {{ command = "{to}" }} }} }},
    {{ step = {{ tool_name = "Bash", tool_input = {{ command = "ls" }} }}, patch = {{}}, decision = "allow" }},
]
"#
        )
    };
    let folder = Folder::with_hooks(&(hook("right", "pnpm test") + &hook("wrong", "yarn test")));
    let (code, certificate) = certify(&folder, &[]);
    assert_eq!((code, said(&certificate, "right")), (2, ("proved", "")), "{certificate}");
    assert_eq!(said(&certificate, "wrong"), ("dead", "other_patch"));
}

#[test]
fn the_step_goes_as_the_agent_sends_it() {
    let (one, both) = ("tool = \"Bash\"\n", "tool = [\"Bash\", \"run_shell_command\"]\n");
    let (one, both) = (format!("{one}{CANARY}"), format!("{both}{CANARY}"));
    let folder = folder(&[("one", SCRIPT, &one), ("both", SCRIPT, &both)]);
    let (code, certificate) = certify(&folder, &["--agent", "claude"]);
    assert_eq!((code, &certificate["agent"]), (0, &"claude".into()), "{certificate}");
    assert_eq!(said(&certificate, "one"), ("proved", ""));

    let (code, certificate) = certify(&folder, &["--agent", "gemini"]);
    assert_eq!((code, said(&certificate, "both")), (2, ("proved", "")), "{certificate}");
    assert_eq!(said(&certificate, "one"), ("dead", "never_called"), "it has no tool `Bash`");
    let unknown = folder.run(&["certify", "-c", "hooks.toml", "--agent", "nobody"], "");
    assert_eq!(unknown.code(), 64);
}

#[test]
fn what_an_agent_does_not_obey_is_dead_there() {
    let hook = "[[hook]]\nid = \"kept\"\nevent = \"pre_compact\"\n\
                builtin = { name = \"deny\", reason = \"not yet\" }\n";
    let folder = Folder::with_hooks(hook);
    let (code, certificate) = certify(&folder, &["--agent", "codex"]);
    assert_eq!((code, said(&certificate, "kept")), (0, ("proved", "")), "{certificate}");
    let (code, certificate) = certify(&folder, &["--agent", "cline"]);
    assert_eq!((code, said(&certificate, "kept")), (2, ("dead", "not_obeyed")), "{certificate}");
}

/// A certificate of a working guard in a file.
fn certified(more: &[&str]) -> Folder {
    let folder = folder(&[("works", SCRIPT, CANARY)]);
    let (code, _) = certify(&folder, &[&["--out", "certificate.json"], more].concat());
    assert_eq!(code, 0);
    folder
}

/// Compares the certificate with what is there: the exit code, and what is wrong.
fn check(folder: &Folder, more: &[&str]) -> (i32, Vec<String>) {
    let ended =
        folder.run(&[&["certify", "--check", "certificate.json", "--json"], more].concat(), "");
    let found = ended.lines().pop().unwrap_or_else(|| panic!("{}", ended.err()));
    let problems = found["problems"].as_array().unwrap();
    let codes = problems.iter().map(|problem| problem["code"].as_str().unwrap().to_owned());
    (ended.code(), codes.collect())
}

#[test]
fn a_certificate_is_valid_until_something_changes() {
    let folder = certified(&[]);
    assert_eq!(check(&folder, &[]), (0, vec![]));

    folder.write("works.sh", "#!/bin/sh\nexit 0\n");
    let (code, problems) = check(&folder, &[]);
    assert_eq!((code, problems.contains(&"file_changed".to_owned())), (2, true), "{problems:?}");

    folder.write("works.sh", SCRIPT);
    assert_eq!(check(&folder, &[]), (0, vec![]), "it is what it was");

    let config = fs::read_to_string(folder.path("hooks.toml")).unwrap();
    folder.write("hooks.toml", format!("{config}priority = 7\n"));
    assert_eq!(
        check(&folder, &[]),
        (2, vec!["file_changed".to_owned(), "config_changed".to_owned()])
    );
    folder.write("hooks.toml", format!("{config}# nothing\n"));
    assert_eq!(check(&folder, &[]), (2, vec!["file_changed".to_owned()]));
}

#[test]
fn a_certificate_ends() {
    let folder = certified(&["--valid", "1ms"]);
    assert_eq!(check(&folder, &[]), (2, vec!["expired".to_owned()]));
}

#[test]
fn a_certificate_is_about_one_agent() {
    let folder = certified(&["--agent", "claude"]);
    assert_eq!(check(&folder, &["--agent", "claude"]), (0, vec![]));
    assert_eq!(check(&folder, &["--agent", "codex"]), (2, vec!["other_agent".to_owned()]));
}

#[test]
fn a_certificate_with_a_dead_hook_is_not_valid() {
    let folder = folder(&[("exits-0", "#!/bin/sh\nexit 0\n", CANARY)]);
    assert_eq!(certify(&folder, &["--out", "certificate.json"]).0, 2);
    assert_eq!(check(&folder, &[]), (2, vec!["dead".to_owned()]));
    folder.write("certificate.json", "{}");
    let broken = folder.run(&["certify", "--check", "certificate.json"], "");
    assert_eq!(broken.code(), 1, "{}", broken.err());
}

#[test]
fn a_typing_error_is_not_proved_by_a_step_that_is_made_of_it() {
    let hook = |key: &str| {
        format!(
            "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\ntool = \"Bash\"\ninput = {{ \"/{key}\" = {{ contains = \"rm -rf\" }} }}\nbuiltin = {{ name = \"deny\", reason = \"x\" }}\n"
        )
    };
    let folder = Folder::with_hooks(&hook("comand"));
    assert_eq!(said(&certify(&folder, &[]).1, "h"), ("untested", "warned"));
    folder.write("hooks.toml", hook("command"));
    assert_eq!(said(&certify(&folder, &[]).1, "h"), ("proved", ""), "the control");
}

#[test]
fn each_event_needs_a_step_that_must_be_stopped() {
    let both = "event = [\"pre_tool_use\", \"post_tool_use\"]";
    let folder = folder(&[("works", SCRIPT, CANARY)]);
    let config = fs::read_to_string(folder.path("hooks.toml")).unwrap();
    let config = config.replace("event = \"pre_tool_use\"", both);
    let canary = "{ event = \"pre_tool_use\", step =";
    folder.write("hooks.toml", config.replace("{ step =", canary));
    let (_, certificate) = certify(&folder, &[]);
    assert_eq!(said(&certificate, "works"), ("untested", "no_canary"), "{certificate}");
}
