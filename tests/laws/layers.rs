//! Law: no decision is weaker than the layers above a layer give alone, whatever the layer says.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hookgate::config::Loader;
use hookgate::contract::BuiltHandler;
use hookgate::table::{Layer, TableBuilder};
use hookgate::{
    Engine, Gate, HandlerTable, HookEngine, Invocation, Outcome, Registry, StepContext, ToolUse,
    Verdict,
};
use hookgate_conditions::{Conditions, MemoryHistory};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const LAYERS: [Layer; 4] = [Layer::Managed, Layer::User, Layer::Project, Layer::Local];

/// How many sets of layers are tried; `HOOKGATE_LAYER_SETS` names another number.
fn sets() -> u32 {
    std::env::var("HOOKGATE_LAYER_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(400)
}

/// What a hook does, its name in the file.
const DOES: [&str; 6] = ["say-allow", "say-answer", "say-ask", "say-deny", "say-halt", "patch"];

pub(super) fn registry() -> Registry {
    let registry = Registry::from_iter([hookgate::builtin::kind()]);
    for does in DOES {
        let verdict = move |call: Invocation<'_>| {
            Ok(match does {
                "say-allow" => Verdict::allow(),
                "say-answer" => Verdict::none().answer("done", false),
                "say-ask" => Verdict::ask("sure?"),
                "say-deny" => Verdict::deny("no"),
                "say-halt" => Verdict::halt("stop"),
                // What another hook denies would not be there any more.
                _ => Verdict::none().patch("tool_input", serde_json::json!({"by": call.hook})),
            })
        };
        registry
            .register_builtin(does, move |_, _| Some(BuiltHandler::from_sync(verdict)))
            .unwrap();
    }
    // All layers share the history.
    for kind in Conditions::new(Arc::new(MemoryHistory::new())).kinds() {
        registry.add_condition(kind).unwrap();
    }
    registry
}

#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) id: String,
    does: &'static str,
    conditions: &'static str,
    priority: i64,
    mode: &'static str,
    more: String,
}

impl Rule {
    pub(super) fn text(&self) -> String {
        let Self { id, does, conditions, priority, mode, more } = self;
        let role = if *does == "patch" { "rewrite" } else { "guard" };
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nbuiltin = \"{does}\"\nrole = \"{role}\"\n\
             priority = {priority}\nmode = \"{mode}\"\n{conditions}\n{more}\n"
        )
    }
}

/// A few ids, so that layers get into each other's way.
fn id() -> impl Strategy<Value = String> {
    (0..6_u8).prop_map(|number| format!("hook-{number}"))
}

pub(super) fn rule() -> impl Strategy<Value = Rule> {
    // What the step before has marked.
    let conditions = prop_oneof![
        3 => Just(""),
        2 => Just("tool = \"Bash\""),
        1 => Just("tool = \"Read\""),
        2 => Just("input = { \"/command\" = { equals = \"ls\" } }"),
        2 => Just("marked = \"seen\""),
        2 => Just("tool = \"Bash\"\nnot = { marked = \"seen\" }"),
        1 => Just("marked = { seen = { after = \"done\" } }"),
    ];
    let mode =
        prop_oneof![5 => Just("enforce"), 1 => Just("shadow"), 1 => Just("warn"), 1 => Just("off")];
    let more = prop_oneof![
        6 => Just(String::new()),
        2 => Just("may_allow = true".to_owned()),
        2 => Just("mark = \"seen\"".to_owned()),
        1 => Just("mark = \"done\"".to_owned()),
    ];
    let does = proptest::sample::select(&DOES[..]);
    (id(), does, conditions, -3..200_i64, mode, more).prop_map(
        |(id, does, conditions, priority, mode, more)| Rule {
            id,
            does,
            conditions,
            priority,
            mode,
            more,
        },
    )
}

/// The text of one file.
fn file() -> impl Strategy<Value = String> {
    let sections = prop_oneof![
        4 => Just(""),
        1 => Just("[limits]\nstop_at = \"ask\"\n"),
        1 => Just("[limits]\nstop_at = \"halt\"\n"),
        1 => Just("[limits]\ndispatch_deadline = \"1ns\"\n"),
        1 => Just("[require]\nevents = \"pre_tool_use\"\n"),
    ];
    let rules = proptest::collection::vec(rule(), 1..4);
    let disables = proptest::collection::vec(id(), 0..3);
    (sections, rules, disables, any::<bool>()).prop_map(
        |(section, mut rules, disables, ordered)| {
            let mut seen = std::collections::HashSet::new();
            rules.retain(|rule| seen.insert(rule.id.clone()));
            let (first, last) = (rules[0].id.clone(), rules[rules.len() - 1].clone());
            if ordered && first != last.id && rules.iter().all(|rule| rule.mode != "off") {
                let before = format!("before = \"{first}\"\n");
                rules.last_mut().unwrap().more.push_str(&format!("\n{before}"));
            }
            let rules: String = rules.iter().map(Rule::text).collect();
            let off: String =
                disables.iter().map(|id| format!("[[disable]]\nid = \"{id}\"\n")).collect();
            format!("{section}{off}{rules}")
        },
    )
}

/// A session that nothing has happened in yet.
fn new_session() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("session-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What was decided about a session of two calls, so that hooks may have marked the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decided {
    /// About the first call.
    pub(super) earlier: Outcome,
    /// About the second.
    pub(super) outcome: Outcome,
    /// Whether a hook that may has approved the second, which spares the user a question.
    approved: bool,
}

/// Decides about a session of two calls.
pub(super) async fn decide(table: &Arc<HandlerTable>, tool: &str, command: &str) -> Decided {
    let engine = Engine::new(TableBuilder::from_table(table).build().unwrap());
    let input = serde_json::json!({ "command": command }).to_string();
    let session = new_session();
    let context = StepContext::new(&session);
    let earlier = ToolUse::propose("Read", r#"{"command":"ls"}"#).unwrap();
    let outcome = |gate: &Gate<ToolUse>| gate.decision().map_or(Outcome::Allow, |is| is.outcome);
    let earlier = outcome(&engine.dispatch(earlier, &context).await);
    let step = ToolUse::propose(tool, &input).unwrap();
    let gate = engine.dispatch(step, &context).await;
    let may_approve = |id: &str| table.specs().any(|spec| spec.id() == id && spec.may_allow());
    let approved =
        gate.decision().is_some_and(|decision| decision.by.iter().any(|id| may_approve(id)));
    let outcome = outcome(&gate);
    Decided { earlier, outcome, approved: outcome == Outcome::Allow && approved }
}

type Join = fn(&Registry, &[(Layer, PathBuf)]) -> Option<HandlerTable>;

/// By the rule.
fn joined(registry: &Registry, files: &[(Layer, PathBuf)]) -> Option<HandlerTable> {
    // Files that do not go together are refused, and nothing of them is in force.
    Some(Loader::new(registry).load_layers(files).ok()?.table)
}

/// Without the rule: the hooks of all files by their priorities, the last one of an id.
fn mixed(registry: &Registry, files: &[(Layer, PathBuf)]) -> Option<HandlerTable> {
    let mut builder = HandlerTable::builder();
    for (layer, file) in files {
        let table = Loader::new(registry).layer(*layer).load(file).ok()?.table;
        builder.limits(table.limits().clone());
        for spec in table.specs() {
            builder.replace(spec.clone());
        }
    }
    builder.build().ok()
}

/// Tries random sets of layers. Returns how many had something to compare, or the first set of which a
/// decision is weaker.
fn compare(join: Join, sets: u32) -> Result<u32, String> {
    let registry = registry();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let compared = std::cell::Cell::new(0);
    let config = Config { cases: sets, failure_persistence: None, ..Config::default() };
    let layers = proptest::collection::vec(proptest::option::weighted(0.7, file()), LAYERS.len());
    let result = TestRunner::new(config).run(&layers, |texts| {
        let mut files = Vec::new();
        for (layer, text) in LAYERS.iter().zip(&texts) {
            if let Some(text) = text {
                let file = folder.path().join(format!("{layer}.toml"));
                std::fs::write(&file, text).unwrap();
                files.push((*layer, file));
            }
        }
        let tables = (1..=files.len()).map(|count| join(&registry, &files[..count]).map(Arc::new));
        let tables: Vec<_> = tables.collect();
        for pair in tables.windows(2) {
            let [Some(above), Some(all)] = pair else { continue };
            compared.set(compared.get() + 1);
            for (tool, command) in [("Bash", "ls"), ("Bash", "rm"), ("Read", "ls")] {
                let alone = runtime.block_on(decide(above, tool, command));
                let together = runtime.block_on(decide(all, tool, command));
                prop_assert!(
                    together.outcome >= alone.outcome,
                    "{tool} {command}: {alone:?} became {together:?}"
                );
                prop_assert!(
                    !together.approved || alone.approved || alone.outcome > Outcome::Allow,
                    "{tool}: approved"
                );
            }
        }
        Ok(())
    });
    result.map(|()| compared.get()).map_err(|error| error.to_string())
}

#[test]
fn a_layer_can_only_tighten() {
    let compared = compare(joined, sets()).unwrap();
    assert!(compared > sets() / 4, "only {compared} of {} sets could be compared", sets());
}

/// Without the rule the law does not hold: the test can fail.
#[test]
fn without_the_rule_a_layer_weakens() {
    let found = compare(mixed, 1500).unwrap_err();
    assert!(found.contains("became") || found.contains("approved"), "{found}");
}

/// What a layer above requires stays denied although `stop_at` ends the dispatch at the first ask.
#[test]
fn an_ask_of_a_layer_below_does_not_come_before_what_is_required_above() {
    let guard = |id: &str, does: &str, mode: &str| {
        format!(
            "[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\nbuiltin = '{does}'\nrole = 'guard'\n\
             priority = 0\nmode = '{mode}'\n"
        )
    };
    let above = format!(
        "[limits]\nstop_at = 'ask'\n[require]\nevents = 'pre_tool_use'\n{}",
        guard("above", "say-allow", "shadow")
    );
    // It cannot switch the deny off, nor order itself before it.
    let below = format!(
        "[[disable]]\nid = 'require-pre_tool_use'\n{}",
        guard("below", "say-ask", "enforce")
    );
    let before = format!("{below}before = 'require-pre_tool_use'\n");
    let folder = tempfile::tempdir().unwrap();
    let texts = [(Layer::Managed, above), (Layer::Local, below)];
    let files = texts.map(|(layer, text)| {
        let file = folder.path().join(format!("{layer}.toml"));
        std::fs::write(&file, text).unwrap();
        (layer, file)
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for count in 1..=2 {
        let table = Arc::new(joined(&registry(), &files[..count]).unwrap());
        let decided = runtime.block_on(decide(&table, "Bash", "ls"));
        assert_eq!(decided.outcome, Outcome::Deny, "{count} files: {decided:?}");
    }
    std::fs::write(&files[1].1, before).unwrap();
    let errors = Loader::new(&registry()).load_layers(&files).unwrap_err().to_string();
    assert!(errors.contains("there is no hook `require-pre_tool_use`"), "{errors}");
}
