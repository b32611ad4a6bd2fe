//! Promise: a hook with a mistake is set aside and told, what it is about gets its posture, and the rest of
//! the file is in force.

use std::sync::Arc;

use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::contract::payload::UserPromptSubmit;
use hookgate::table::Layer;
use hookgate::{Engine, HookEngine, Outcome, Registry, StepContext, ToolUse};
use hookgate_conditions::{Conditions, MemoryHistory};

/// The other hook of each file.
const OTHER: &str = "[[hook]]\nid = \"no-rm\"\nevent = \"pre_tool_use\"\n\
                     input = { \"/command\" = { starts_with = \"rm\" } }\n\
                     builtin = { name = \"deny\", reason = \"no rm\" }\n";

/// A guard of one tool, with further lines and its handler.
fn guard(lines: &str, builtin: &str) -> String {
    format!(
        "[[hook]]\nid = \"guard\"\nevent = \"pre_tool_use\"\ntool = \"Write\"\n{lines}\nbuiltin = {builtin}\n{OTHER}"
    )
}

const DENY: &str = "{ name = \"deny\", reason = \"no\" }";
const WRONG: &str = "{ name = \"dney\", reason = \"no\" }";

fn load(text: &str) -> Result<Loaded, ConfigErrors> {
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    Loader::new(&registry).quarantine().parse("hooks.toml", text, ".".as_ref())
}

fn mistakes(loaded: &Loaded) -> Vec<String> {
    let text = |error: &hookgate::config::ConfigError| {
        format!("{}:{}: {error}", error.line(), error.column())
    };
    loaded.set_aside.iter().map(text).collect()
}

/// What becomes of a call of `Write`, one of `Read`, a call of `rm`, and a prompt.
async fn outcomes(text: &str) -> ([Outcome; 4], String) {
    let loaded = load(text).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(!loaded.set_aside.is_empty(), "nothing was set aside");
    let engine = Engine::new(loaded.table);
    let context = StepContext::new("s");
    let (mut outcomes, mut said) = (Vec::new(), String::new());
    for (tool, command) in [("Write", "ls"), ("Read", "ls"), ("Bash", "rm x")] {
        let input = serde_json::json!({ "command": command }).to_string();
        let gate = engine.dispatch(ToolUse::propose(tool, &input).unwrap(), &context).await;
        let decision = gate.decision();
        outcomes.push(decision.map_or(Outcome::Allow, |decision| decision.outcome));
        if tool == "Write" {
            said = decision.and_then(|decision| decision.reason.clone()).unwrap_or_default();
        }
    }
    let gate = engine.dispatch(UserPromptSubmit::new("hello"), &context).await;
    outcomes.push(gate.decision().map_or(Outcome::Allow, |decision| decision.outcome));
    (outcomes.try_into().unwrap(), said)
}

const ALLOW: Outcome = Outcome::Allow;
const DENIED: Outcome = Outcome::Deny;

#[tokio::test]
async fn a_hook_whose_handler_is_wrong_denies_what_it_is_about() {
    let (outcomes, said) = outcomes(&guard("", WRONG)).await;
    assert_eq!(outcomes, [DENIED, ALLOW, DENIED, ALLOW]);
    assert!(said.contains("hooks.toml:6:20: unknown builtin `dney`"), "{said}");
    assert!(said.contains("set aside until the file is mended"), "{said}");
}

#[tokio::test]
async fn a_deadline_takes_no_condition_away() {
    let (outcomes, _) = outcomes(&guard("timeout = \"2s\"", WRONG)).await;
    assert_eq!(outcomes, [DENIED, ALLOW, DENIED, ALLOW]);
}

#[tokio::test]
async fn its_posture_is_its_own() {
    let (outcomes, _) = outcomes(&guard("on_failure = \"ask\"", WRONG)).await;
    assert_eq!(outcomes, [Outcome::Ask, ALLOW, DENIED, ALLOW]);
    let (outcomes, _) = self::outcomes(&guard("mode = \"shadow\"", WRONG)).await;
    assert_eq!(outcomes, [ALLOW, ALLOW, DENIED, ALLOW], "it did not count before, either");
}

#[tokio::test]
async fn a_key_that_nobody_knows_leaves_the_conditions() {
    let (outcomes, _) = outcomes(&guard("agnet = \"reviewer\"", DENY)).await;
    assert_eq!(outcomes, [DENIED, ALLOW, DENIED, ALLOW]);
}

#[tokio::test]
async fn a_wrong_condition_counts_as_none() {
    let (outcomes, _) = outcomes(&guard("tool_regex = \"(\"", DENY)).await;
    assert_eq!(outcomes, [DENIED, DENIED, DENIED, ALLOW]);
}

#[tokio::test]
async fn a_hook_whose_events_are_not_known_is_about_all_that_can_be_denied() {
    let text = guard("", DENY).replacen("\"pre_tool_use\"", "\"pre_tol_use\"", 1);
    let (outcomes, _) = outcomes(&text).await;
    assert_eq!(outcomes, [DENIED, DENIED, DENIED, DENIED]);
    // An observer that may not be one, or not there, does not count as one.
    let observer = text.replacen("tool = ", "role = \"observe\"\ntool = ", 1);
    let (outcomes, _) = self::outcomes(&observer.replace("\"deny\"", "\"audit\"")).await;
    assert_eq!(outcomes, [DENIED, DENIED, DENIED, DENIED]);
}

#[tokio::test]
async fn a_mistake_in_the_syntax_of_a_hook_is_about_all_that_can_be_denied() {
    let text = guard("timeout = = 3", DENY);
    let (outcomes, said) = outcomes(&text).await;
    assert_eq!(outcomes, [DENIED, DENIED, DENIED, DENIED]);
    assert!(said.contains("hooks.toml:5:11"), "{said}");
}

#[tokio::test]
async fn an_observer_is_left_out() {
    let text = guard("role = \"observe\"", "{ name = \"audti\" }");
    let (outcomes, _) = outcomes(&text).await;
    assert_eq!(outcomes, [ALLOW, ALLOW, DENIED, ALLOW]);
    // One that comes after it is not wrong for that.
    let log = "[[hook]]\nid = \"log\"\nevent = \"stop\"\nrole = \"observe\"\nafter = \"guard\"\nbuiltin = \"audit\"\n";
    let text = text.replace("\"pre_tool_use\"\ntool = \"Write\"", "\"stop\"");
    let loaded = load(&format!("{text}{log}")).unwrap();
    assert_eq!(mistakes(&loaded).len(), 1, "{:?}", mistakes(&loaded));
    assert!(loaded.table.specs().any(|hook| hook.id() == "log"));
}

#[test]
fn all_mistakes_of_the_hooks_are_told() {
    let text = format!("{}{}", guard("tiemout = 3", WRONG), guard("timeout = \"soon\"", DENY))
        .replacen("id = \"no-rm\"", "id = \"other\"", 1);
    let found = mistakes(&load(&text).unwrap());
    assert!(found.len() >= 3, "{found:?}");
    assert!(found.iter().any(|mistake| mistake.contains("tiemout")), "{found:?}");
    assert!(found.iter().any(|mistake| mistake.contains("dney")), "{found:?}");
    assert!(found.iter().any(|mistake| mistake.contains("`timeout`: not a duration")), "{found:?}");
}

#[test]
fn what_may_hide_a_guard_refuses_the_file() {
    let cases = [
        ("outside of the hooks", guard("", DENY).replacen("[[hook]]", "verison = 1\n[[hook]]", 1)),
        ("in the limits", format!("{}[limits]\ntimeout = \"soon\"\n", guard("", DENY))),
        ("in what is required", format!("{}[require]\nhooks = [\"nobody\"]\n", guard("", DENY))),
        ("a text without an end", guard("note = '''", DENY)),
        ("a header without its end", guard("", DENY).replacen("\n[[hook]]", "\n[[hook]", 1)),
        (
            "below what looks like the header of a hook",
            format!("{}[require]\nnote = \"\"\"\n[hook.x]\n\"\"\"\nevents = 7\n", guard("", DENY)),
        ),
        (
            "in the syntax below what looks like the header of a hook",
            format!(
                "{}[require]\nnote = \"\"\"\n[hook.x]\n\"\"\"\nevents = = 7\n",
                guard("", DENY)
            ),
        ),
        ("below another header", format!("{}[[disable]]\nid = = 3\n", guard("", DENY))),
    ];
    for (case, text) in cases {
        let errors = load(&text).expect_err(case);
        assert!(!errors.errors().is_empty(), "{case}");
    }
}

/// A hook that marks, one that tests the mark, and one that tests nothing.
fn marking(mark: &str) -> String {
    format!(
        "[[hook]]\nid = \"edits\"\nevent = \"pre_tool_use\"\ntool = \"Edit\"\n{mark}\n\
         [[hook]]\nid = \"no-write\"\nevent = \"pre_tool_use\"\ntool = \"Write\"\n\
         marked = \"edited\"\nbuiltin = {DENY}\n{OTHER}"
    )
}

/// Loads files of layers with conditions that have a memory, and sets hooks aside.
fn load_marks(files: &[(Layer, String)]) -> Loaded {
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    for kind in Conditions::new(Arc::new(MemoryHistory::new())).kinds() {
        registry.add_condition(kind).unwrap();
    }
    let loader = Loader::new(&registry).quarantine();
    let folder = tempfile::tempdir().unwrap();
    let write = |(layer, text): &(Layer, String)| {
        let path = folder.path().join(format!("{layer}.toml"));
        std::fs::write(&path, text).unwrap();
        (*layer, path)
    };
    loader.load_layers(&files.iter().map(write).collect::<Vec<_>>()).unwrap()
}

fn set_aside(loaded: &Loaded) -> Vec<&str> {
    let hooks = loaded.table.specs().filter(|hook| hook.why_set_aside().is_some());
    hooks.map(|hook| hook.id().as_str()).collect()
}

#[test]
fn a_guard_is_not_silent_because_the_hook_that_marks_for_it_is_set_aside() {
    let audit = "builtin = \"audit\"";
    let cases: [(&str, &[&str]); 5] = [
        // Nothing is wrong; and what is wrong does not touch the mark, so an observer stays to set it.
        ("mark = \"edited\"", &[]),
        ("mark = \"edited\"\ntimeout = \"soon\"", &["edits"]),
        // The mark may be what could not be read.
        ("mrak = \"edited\"", &["no-write"]),
        ("mark = \"edi ted\"", &["edits", "no-write"]),
        ("mark = = \"edited\"", &["edits", "no-write"]),
    ];
    for (mark, expected) in cases {
        let loaded = load_marks(&[(Layer::User, marking(&format!("{mark}\n{audit}")))]);
        let found = set_aside(&loaded);
        assert!(expected.iter().all(|id| found.contains(id)), "{mark}: {found:?}");
        assert!(!found.contains(&"no-rm"), "{mark}: {found:?}");
        assert_eq!(found.contains(&"no-write"), expected.contains(&"no-write"), "{mark}");
    }
}

#[test]
fn a_guard_of_a_layer_below_is_not_silent_either_and_one_above_goes_on() {
    let marks = |mark: &str| {
        format!(
            "[[hook]]\nid = \"edits\"\nevent = \"pre_tool_use\"\ntool = \"Edit\"\n{mark}\n\
             builtin = \"audit\"\n"
        )
    };
    let tests = |id: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\ntool = \"Write\"\n\
             marked = \"edited\"\nbuiltin = {DENY}\n"
        )
    };
    for (mark, expected) in [("mark = \"edited\"", &[][..]), ("mark = 7", &["below"])] {
        let loaded = load_marks(&[
            (Layer::Managed, tests("above")),
            (Layer::User, marks(mark)),
            (Layer::Project, tests("below")),
        ]);
        let found = set_aside(&loaded);
        let found: Vec<&str> = found.into_iter().filter(|id| *id != "edits").collect();
        assert_eq!(found, expected, "{mark}");
    }
}

#[test]
fn without_being_asked_to_the_file_is_refused() {
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    let loaded = Loader::new(&registry).parse("hooks.toml", &guard("", WRONG), ".".as_ref());
    assert!(loaded.is_err());
}
