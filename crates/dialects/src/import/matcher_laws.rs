//! Laws of matchers: a tool that the matcher seems to mean is guarded, and what never ran in its agent is told.

use std::path::Path;

use regex::Regex;

use super::{Agent, Import, ImportError, Options, import, names};

/// Agents whose configs have groups with matchers for tools, each with its file and its event.
const GROUPED: [(Agent, &str, &str); 4] = [
    (Agent::Claude, ".claude/settings.json", "PreToolUse"),
    (Agent::Codex, ".codex/hooks.json", "PreToolUse"),
    (Agent::Gemini, ".gemini/settings.json", "BeforeTool"),
    (Agent::Qwen, ".qwen/settings.json", "PreToolUse"),
];

fn of(path: &str, event: &str, matcher: &str) -> Import {
    let group = serde_json::json!({
        "matcher": matcher, "hooks": [{"type": "command", "command": "exit 2"}],
    });
    let text = serde_json::json!({"hooks": {event: [group]}}).to_string();
    import(Path::new(path), &text, &Options::default()).unwrap()
}

/// Tells whether the imported hook is called about a tool.
fn guards(import: &Import, tool: &str) -> bool {
    let table: toml::Table = import.toml.parse().unwrap();
    let hook = table["hook"][0].as_table().unwrap();
    if let Some(names) = hook.get("tool").and_then(toml::Value::as_str) {
        return names.split('|').any(|name| name == tool);
    }
    let Some(regex) = hook.get("tool_regex").and_then(toml::Value::as_str) else { return true };
    let part = hook.get("regex_search").is_some();
    let regex = if part { regex.to_owned() } else { format!("^(?:{regex})$") };
    Regex::new(&regex).unwrap().is_match(tool)
}

fn told(import: &Import) -> bool {
    let codes = ["never_matches", "foreign_tool"];
    import.warnings.iter().any(|warning| codes.contains(&warning.code))
}

/// The ways in which people write one name.
const FORMS: [fn(&str) -> String; 6] = [
    str::to_owned,
    |name| format!("^{name}$"),
    |name| format!("^({name}|no_such_tool)$"),
    |name| format!("no_such_tool|{name}"),
    |name| format!("(?:{name})"),
    |name| {
        let mut letters = name.chars();
        format!("{}.?{}", letters.next().expect("a name"), letters.as_str())
    },
];

#[test]
fn a_tool_in_other_letters_is_guarded_and_told() {
    let mut mended = 0;
    for (agent, path, event) in GROUPED {
        let own = names::all_of(agent);
        for name in &own {
            for written in [name.to_lowercase(), name.to_uppercase()] {
                // Two of the forms for each name, all of them for all names.
                for form in [FORMS[mended % 6], FORMS[(mended + 3) % 6]] {
                    let matcher = form(&written);
                    let fits = Regex::new(&matcher).unwrap();
                    // What fits a part of a name is no mistake.
                    if own.iter().any(|own| fits.is_match(own)) {
                        mended += 1;
                        continue;
                    }
                    let import = of(path, event, &matcher);
                    let mut same = own.iter().filter(|own| own.eq_ignore_ascii_case(name));
                    assert!(same.any(|own| guards(&import, own)), "{agent} {}", import.toml);
                    assert!(told(&import), "{agent} {matcher}");
                    mended += 1;
                }
            }
        }
    }
    assert!(mended > 100, "{mended}");
}

/// The control: the right names are taken as they are, and nothing is said.
#[test]
fn a_tool_by_its_name_is_not_talked_about() {
    for (agent, path, event) in GROUPED {
        for (nth, name) in names::all_of(agent).into_iter().enumerate() {
            for form in [FORMS[nth % 6], FORMS[(nth + 3) % 6]] {
                let import = of(path, event, &form(name));
                assert!(guards(&import, name) && !told(&import), "{agent} {}", form(name));
            }
        }
        let import = of(path, event, "no_such_tool");
        assert!(!told(&import) && !guards(&import, "Bash"), "{agent}");
    }
}

#[test]
fn tools_of_other_agents_are_told_in_every_config() {
    for (path, event, matcher, tool) in [
        (".codex/hooks.json", "PreToolUse", "Skill(plan-and-analyze.*)", "Skill"),
        (
            ".gemini/settings.json",
            "BeforeTool",
            "replace_file_content|multi_replace_file_content",
            "replace",
        ),
        (".claude/settings.json", "PreToolUse", "^(edit|write|multiedit)$", "MultiEdit"),
        (".claude/settings.json", "PreToolUse", "^(edit|write|multiedit)$", "Write"),
        (".claude/settings.json", "PreToolUse", "write_.*", "Write"),
        (".claude/settings.json", "PreToolUse", "Bash(rm*)", "Bash"),
        (".codex/hooks.json", "PreToolUse", "shell|apply_patch", "Bash"),
    ] {
        let import = of(path, event, matcher);
        assert!(told(&import), "{matcher}: {:?}", import.warnings);
        assert!(guards(&import, tool), "{matcher}: {}", import.toml);
    }
}

#[test]
fn configs_of_other_agents_are_named_and_refused() {
    let group = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
    for (path, text, agent) in [
        (
            ".windsurf/hooks.json",
            r#"{"hooks": {"pre_run_command": [{"command": "x"}]}}"#,
            "Windsurf",
        ),
        ("hooks.json", r#"{"hooks": {"pre_write_code": [{"command": "x"}]}}"#, "Windsurf"),
        (
            "crush.json",
            r#"{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "x"}]}}"#,
            "Crush",
        ),
        ("x.json", r#"{"$schema": "https://charm.land/crush.json", "hooks": {}}"#, "Crush"),
        ("hooks/hooks.json", r#"{"hooks": {"BeforeShellExecution": [{"command": "x"}]}}"#, "Goose"),
        (".kiro/hooks/lint.json", r#"{"when": {"type": "fileEdited"}, "then": {}}"#, "Kiro"),
        ("a.json", r#"{"hooks": {"agentSpawn": [{"command": "x"}]}}"#, "Kiro"),
        (".factory/settings.json", group, "Factory"),
        (".codebuddy/settings.json", group, "CodeBuddy"),
        (".agents/hooks.json", group, "Antigravity"),
    ] {
        let refused = import(Path::new(path), text, &Options::default()).unwrap_err();
        assert!(
            matches!(refused, ImportError::Unsupported { agent: named } if named == agent),
            "{path}: {refused}"
        );
        assert!(super::is_foreign(Path::new(path), text), "{path}");
        // Who knows that it has the form of another agent's can say so.
        let options = Options { agent: Some(Agent::Claude), ..Options::default() };
        assert!(import(Path::new(path), text, &options).is_ok());
    }
    for (path, text) in [
        (".claude/settings.json", group),
        ("work/goose/.claude/settings.json", group),
        (".factory/x/.claude/settings.json", group),
        ("a.json", group),
        ("a.json", r#"{"hooks": {"PreTolUse": []}}"#),
        ("a.json", r#"{"hooks": {}}"#),
    ] {
        assert!(import(Path::new(path), text, &Options::default()).is_ok(), "{path} {text}");
    }
    let nobodys = import(
        Path::new("a.json"),
        r#"{"hooks": {"on_thing": [{"command": "x"}]}}"#,
        &Options::default(),
    );
    assert_eq!(nobodys, Err(ImportError::Unknown));
}

#[test]
fn a_list_of_hooks_is_told_as_that() {
    let text = r#"{"hooks": [{"event": "Stop", "command": ["echo", "x"], "condition": "y"}]}"#;
    let import = import(Path::new(".claude/settings.json"), text, &Options::default()).unwrap();
    let codes: Vec<_> = import.warnings.iter().map(|warning| warning.code).collect();
    assert!(codes.contains(&"dropped") && !codes.contains(&"no_hooks"), "{codes:?}");
    let dropped = import.warnings.iter().find(|warning| warning.code == "dropped").unwrap();
    assert!(dropped.meaning.contains("`hooks` is a list"), "{}", dropped.meaning);
}
