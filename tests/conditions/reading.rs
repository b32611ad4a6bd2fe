//! Registered conditions, `any`, `not` and sections in hooks.toml.

use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::contract::{
    Condition, ConditionContext, ConditionKind, ConfigSection, Contract, Envelope, HandlerKind,
    Truth,
};
use hookgate::matcher::{MatchSpec, Test};
use hookgate::registry::RegistryError;
use hookgate::{Engine, Event, HandlerTable, Hook, Outcome, Registry, Verdict};
use serde_json::json;

use crate::says::{deny, kind, load, registry, says};
use crate::support::{self, Log};

fn errors(text: &str) -> Vec<String> {
    let errors = load(&Log::default(), text).unwrap_err();
    errors.to_string().lines().map(str::to_owned).collect()
}

async fn outcome(text: &str) -> Outcome {
    let table = load(&Log::default(), text).unwrap_or_else(|errors| panic!("{errors}")).table;
    let engine = Engine::new(table);
    let (_, report) = engine.dispatch_reported(support::bash("ls"), &support::context()).await;
    report.decision
}

#[tokio::test]
async fn a_registered_condition_decides_whether_a_hook_is_called() {
    assert_eq!(outcome(&deny("says = \"true\"")).await, Outcome::Deny);
    assert_eq!(outcome(&deny("says = \"false\"")).await, Outcome::Allow);
    assert_eq!(outcome(&deny("says = \"unknown\"")).await, Outcome::Ask);
    assert_eq!(outcome(&deny("says = \"unknown\"\ntool = \"Read\"")).await, Outcome::Allow);
    let guard = |of| {
        let deny = Hook::sync("h", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
        support::engine([deny.condition(says(of))])
    };
    for (of, expected) in [(Truth::True, Outcome::Deny), (Truth::False, Outcome::Allow)] {
        let (_, report) =
            guard(of).dispatch_reported(support::bash("ls"), &support::context()).await;
        assert_eq!(report.decision, expected);
    }
}

#[tokio::test]
async fn any_and_not_combine_whole_conditions() {
    for (lines, expected) in [
        ("any = [{ tool = \"Read\" }, { says = \"true\" }]", Outcome::Deny),
        ("any = [{ tool = \"Read\" }, { says = \"false\" }]", Outcome::Allow),
        ("any = [{ tool = \"Bash\", says = \"false\" }, { tool = \"B*\" }]", Outcome::Deny),
        ("not = { tool = \"Bash\" }", Outcome::Allow),
        ("not = { tool = \"Bash\", says = \"false\" }", Outcome::Deny),
        ("not = { says = \"unknown\" }", Outcome::Ask),
        ("any = [{ says = \"unknown\" }, { tool_regex = \"B.*\" }]", Outcome::Deny),
        ("not = { any = [{ tool = \"Read\" }, { not = { says = \"true\" } }] }", Outcome::Deny),
        ("any = [{ input = { \"/command\" = { glob = \"l*\" } } }]", Outcome::Deny),
        ("any = [{ input = { \"/command\" = { glob = \"x*\" } } }]", Outcome::Allow),
        // What the engine does not know calls the hook, below a `not` as well.
        ("any = [{ agent = \"coder\" }]", Outcome::Deny),
        ("not = { agent = \"coder\" }", Outcome::Deny),
        ("not = { agent = \"coder\", says = \"unknown\" }", Outcome::Deny),
        ("any = [{ agent = \"coder\", says = \"unknown\" }]", Outcome::Ask),
    ] {
        assert_eq!(outcome(&deny(lines)).await, expected, "{lines}");
    }
}

#[test]
fn a_mistake_is_reported_where_the_value_is() {
    for (lines, expected) in [
        ("says = \"maybe\"", "4:8: `says`: `maybe` is no truth: write true, false or unknown"),
        ("says = 3", "4:8: `says` must be a table, not an integer"),
        ("says = { name = \"x\" }", "4:8: `truth` is missing"),
        (
            "says = { truth = \"true\", nmae = \"x\" }",
            "4:26: unknown key `nmae`; did you mean `name`?",
        ),
        ("syas = \"true\"", "4:1: unknown key `syas`; did you mean `says`?"),
        ("any = { tool = \"Bash\" }", "4:7: `any`: must be a list of tables: any = [{ … }, { … }]"),
        ("any = []", "4:7: `any`: must be a list of tables: any = [{ … }, { … }]"),
        ("any = [{}]", "4:8: `any`: it is empty: leave it out to match everything"),
        ("not = {}", "4:7: `not`: it is empty: leave it out to match everything"),
        ("any = [{ tool = \"Bash\" }, 3]", "4:27: `the value` must be a table, not an integer"),
        (
            "any = [{ tool = \"Bash\" }, { tol = \"Bash\" }]",
            "4:29: unknown key `tol`; did you mean `tool`?",
        ),
        (
            "any = [{ says = \"maybe\" }]",
            "4:17: `says`: `maybe` is no truth: write true, false or unknown",
        ),
        (
            "not = { not = { says = \"x\" } }",
            "4:24: `says`: `x` is no truth: write true, false or unknown",
        ),
        ("any = [{ event = \"stop\" }]", "4:10: unknown key `event`"),
    ] {
        let found = errors(&deny(lines));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("hooks.toml:{expected}")), "{found:?} {lines}");
    }
    let found =
        errors(&deny("any = [{ tool = \"mcp__.*\" }, { tool = \"a\", tool_glob = \"[a-\" }]"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("hooks.toml:4:17: ") && found[1].starts_with("hooks.toml:4:56: "));
    let deep = |depth| "not = { ".repeat(depth) + "tool = \"Bash\"" + &" }".repeat(depth);
    assert!(load(&Log::default(), &deny(&deep(8))).is_ok());
    let found = errors(&deny(&deep(9)));
    assert!(found[0].contains("more than 8 deep"), "{found:?}");
}

#[test]
fn a_warning_of_a_condition_is_shown_at_its_value() {
    let text =
        deny("any = [{ says = { truth = \"true\", name = \"x?\" } }]\non_unclear = \"allow\"");
    let warnings = load(&Log::default(), &text).unwrap().warnings;
    let shown: Vec<_> = warnings
        .iter()
        .map(|warning| (warning.line(), warning.column(), warning.message()))
        .collect();
    assert_eq!(shown[0], (4, 17, "it is written with a `?`".to_owned()));
    assert_eq!((shown[1].0, shown[1].1), (5, 14));
    assert!(shown[1].2.contains("goes on"), "{shown:?}");
}

#[test]
fn names_that_have_a_meaning_cannot_be_registered() {
    let registry = Registry::new();
    let named = |name| ConditionKind::new(name, |_, _| None);
    assert_eq!(registry.add_condition(named("")), Err(RegistryError::EmptyName));
    for name in ["tool", "any", "not", "on_unclear", "on_timeout", "builtin", "subagent"] {
        assert_eq!(registry.add_condition(named(name)), Err(RegistryError::HookKey(name)));
    }
    registry.add(HandlerKind::new("freeze", |_, _| None));
    assert_eq!(registry.add_condition(named("freeze")), Err(RegistryError::HandlerKey("freeze")));
    let section = |name| ConfigSection::new(name, |_, _| Some(()));
    assert_eq!(registry.add_section(section("limits")), Err(RegistryError::RootKey("limits")));
    let before = registry.revision();
    assert!(registry.add_section(section("tool")).unwrap() > before);
    assert!(registry.add_condition(named("moon")).unwrap() > before);
    assert_eq!(registry.conditions()[0].name(), "moon");
}

#[test]
fn a_kind_says_where_it_makes_sense() {
    let at_tools = |contract: &Contract| if contract.tool { Ok(()) } else { Err("no tool") };
    let registry = support::registry();
    registry.add_condition(kind(&Log::default()).supports(at_tools).top_level()).unwrap();
    let load = |text: &str| Loader::new(&registry).parse("hooks.toml", text, ".".as_ref());
    let stop = deny("says = \"true\"").replace("pre_tool_use", "stop");
    let errors = load(&stop).unwrap_err().to_string();
    let wanted = "hooks.toml:4:8: hook `h`: `says` makes no sense at `stop`: no tool";
    assert!(errors.contains(wanted), "{errors}");
    let errors = load(&deny("any = [{ says = \"true\" }]")).unwrap_err().to_string();
    assert!(
        errors.starts_with("hooks.toml:4:17: `says`: it belongs to the hook itself"),
        "{errors}"
    );
    // A glob for events takes in those at which all of the hook makes sense.
    let table = load(&deny("says = \"true\"").replace("pre_tool_use", "*")).unwrap().table;
    assert!(table.is_armed(Event::PreToolUse) && !table.is_armed(Event::Stop));
}

/// What `[[tool]]` became, which the condition `declared` looks into.
struct Tools(Vec<String>);

struct Declared(Option<Arc<Tools>>);

impl Condition for Declared {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        let Some(call) = step.payload().tool() else { return Truth::False };
        self.0.as_ref().map_or(Truth::Unknown, |tools| tools.0.contains(&call.tool_name).into())
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it looks whether the tool is declared".to_owned()
    }
}

#[test]
fn a_section_is_read_before_the_hooks_that_need_it() {
    let registry = registry(&Log::default());
    let section = ConfigSection::new("tool", |settings, _| {
        let Some(hookgate::contract::settings::NodeValue::List(items)) =
            settings.node("tool").map(|node| &node.value)
        else {
            settings.invalid("tool", "write `[[tool]]`");
            return None;
        };
        let mut names = Vec::new();
        for item in items {
            let mut table = hookgate::contract::settings::Settings::new(item);
            names.extend(table.required_text("name").map(str::to_owned));
            settings.absorb(table.finish());
        }
        Some(Tools(names))
    });
    registry.add_section(section).unwrap();
    let declared = ConditionKind::new("declared", |settings, context| {
        settings.flag("declared")?;
        Some(Box::new(Declared(context.section::<Tools>())))
    });
    registry.add_condition(declared).unwrap();
    let load = |text: &str| Loader::new(&registry).parse("hooks.toml", text, ".".as_ref());
    let hook = deny("declared = true");
    let with = |tool: &str| load(&format!("{hook}\n[[tool]]\nname = \"{tool}\"\n")).unwrap().table;
    let called = |table: &HandlerTable| {
        table.explain(&support::call("ls"), &support::context())[0].conditions[0].truth
    };
    assert_eq!(called(&with("Bash")), Truth::True);
    assert_eq!(called(&with("Read")), Truth::False);
    assert_eq!(called(&load(&hook).unwrap().table), Truth::Unknown);
    assert_ne!(with("Bash").config_hash(), with("Read").config_hash());
    let wrong = load(&format!("{hook}\n[[tool]]\nnaem = \"x\"\n")).unwrap_err().to_string();
    assert!(wrong.contains("hooks.toml:8:1: unknown key `naem`; did you mean `name`?"), "{wrong}");
}

#[test]
fn what_is_written_in_rust_and_in_a_file_is_the_same_config() {
    let text = deny(
        "tool = \"Bash\"\nany = [{ tool = \"a\" }, { says = \"true\" }]\nnot = { agent = \"x\" }",
    );
    let log = Log::default();
    let from_file = load(&log, &text).unwrap().table;
    let context = ConditionContext::new(".".as_ref());
    let built = kind(&log).build(&json!("true"), &context).unwrap();
    let spec = MatchSpec::new()
        .tool("Bash")
        .any([MatchSpec::new().condition(built), MatchSpec::new().tool("a")])
        .except(MatchSpec::new().agent("x"));
    let written = from_file.specs().next().unwrap().matcher();
    assert_eq!(
        written.to_string(),
        r#"tool = "Bash", any = [{ tool = "a" }, { says = "true" }], not = { agent = "x" }"#
    );
    // Neither the order of tables nor that of keys matters.
    let hash = |spec: MatchSpec| {
        Hook::sync("h", |_| Ok(Verdict::none()))
            .event(Event::Stop)
            .matching(spec)
            .build()
            .config_hash()
    };
    assert_eq!(hash(written.clone()), hash(spec.clone()));
    assert_ne!(hash(spec.clone()), hash(spec.except(MatchSpec::new().tool("b"))));
    assert_ne!(
        hash(MatchSpec::new().condition(says(Truth::True))),
        hash(MatchSpec::new().condition(says(Truth::False)))
    );
}

#[test]
fn a_list_that_is_a_set_has_one_hash_in_any_order() {
    let kind = |is_set: bool| {
        let kind = ConditionKind::new("words", |settings, _| {
            settings.list("words")?;
            Some(Box::new(Declared(None)))
        });
        if is_set { kind.set() } else { kind }
    };
    let hash = |is_set, value| {
        let built = kind(is_set).build(&value, &ConditionContext::new(".".as_ref())).unwrap();
        Hook::sync("h", |_| Ok(Verdict::none()))
            .event(Event::Stop)
            .condition(built)
            .build()
            .config_hash()
    };
    assert_eq!(hash(true, json!(["a", "b"])), hash(true, json!(["b", "a", "b"])));
    assert_ne!(hash(false, json!(["a", "b"])), hash(false, json!(["b", "a"])));
}

#[test]
fn a_text_of_conditions_can_be_meant_in_one_way_only() {
    let texts = [
        MatchSpec::new().tool("Edit|Write"),
        MatchSpec::new().tool("Edit").tool("Write"),
        MatchSpec::new().tool("Edit, Write"),
        MatchSpec::new().tool_regex("Edit|Write"),
        MatchSpec::new().tool("a\"b"),
        MatchSpec::new().input("/a", Test::regex("x")).input("/a", !Test::regex("y")),
        MatchSpec::new().input("/a", Test::regex("x")).payload("/a", !Test::regex("y")),
        MatchSpec::new().any([MatchSpec::new().tool("a"), MatchSpec::new().tool("b")]),
        MatchSpec::new().any([MatchSpec::new().tool("a").tool("b")]),
        MatchSpec::new().except(MatchSpec::new().tool("a").tool("b")),
    ]
    .map(|spec| spec.to_string());
    let distinct: std::collections::BTreeSet<_> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len(), "{texts:#?}");
    // And it can be read again.
    for text in &texts[..5] {
        assert!(toml_like(text), "{text}");
    }
}

/// Whether a hook with these conditions is TOML; whether the patterns can be meant is another question.
fn toml_like(conditions: &str) -> bool {
    let found = load(&Log::default(), &deny(&conditions.replace("\", tool", "\"\ntool")));
    match found {
        Ok(_) => true,
        Err(errors) => errors.errors().iter().all(|error| !error.message().contains("expected")),
    }
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_has_what_is_registered() {
    let log = Log::default();
    let registry = Registry::new();
    registry.add_condition(kind(&log).schema(|| json!({"type": "string"}))).unwrap();
    registry.add_condition(ConditionKind::new("mark", |_, _| None).top_level()).unwrap();
    let schema = hookgate::schema::config_with(&registry);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let hook = |more: serde_json::Value| {
        let mut hook = json!({"id": "h", "event": "stop", "builtin": "audit"});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"hook": [hook]})
    };
    for good in [
        json!({"says": "true"}),
        json!({"mark": 3}),
        json!({"any": [{"says": "true"}, {"not": {"tool": "x"}}], "not": {"agent": "a"}}),
        json!({"on_unclear": "ask"}),
    ] {
        assert!(validator.is_valid(&hook(good.clone())), "{good}");
    }
    for bad in [json!({"says": 1}), json!({"any": [{"mark": 1}]}), json!({"any": {"tool": "x"}})] {
        assert!(!validator.is_valid(&hook(bad.clone())), "{bad}");
    }
    let plain = jsonschema::validator_for(&hookgate::schema::config()).unwrap();
    assert!(!plain.is_valid(&hook(json!({"says": "true"}))));
}

/// Every key of a hook is refused as the name of a condition: the list is kept by hand.
#[cfg(feature = "schema")]
#[test]
fn no_key_of_a_hook_can_be_registered() {
    let schema = hookgate::schema::config();
    let registry = Registry::new();
    let keys = schema["$defs"]["Hook"]["properties"].as_object().unwrap().keys();
    for key in keys {
        let name: &'static str = Box::leak(key.clone().into_boxed_str());
        let refused = registry.add_condition(ConditionKind::new(name, |_, _| None));
        assert_eq!(refused, Err(RegistryError::HookKey(name)));
    }
    for key in schema["properties"].as_object().unwrap().keys() {
        let name: &'static str = Box::leak(key.clone().into_boxed_str());
        let refused = registry.add_section(ConfigSection::new(name, |_, _| Some(())));
        assert_eq!(refused, Err(RegistryError::RootKey(name)));
    }
}
