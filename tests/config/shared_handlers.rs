//! Promise: a handler can be named once in a file and used by several hooks, which share one instance of it; what it
//! may do is declared there and held to.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hookgate::config::{ConfigProblem, Loaded, Loader};
use hookgate::contract::contribution::ContextPiece;
use hookgate::contract::payload::{Planning, PromptContext, TurnPolicy};
use hookgate::contract::{BuiltHandler, Invocation};
use hookgate::table::Layer;
use hookgate::{Engine, FailureClass, HookEngine, Registry, StepContext, Verdict};

use crate::loading::{load, wrong};

/// A kind whose handlers have a number each, and note it with every call.
#[derive(Clone, Default)]
struct Numbered {
    built: Arc<AtomicUsize>,
    called: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Numbered {
    fn registry(&self) -> Registry {
        let (built, called) = (Arc::clone(&self.built), Arc::clone(&self.called));
        let registry = Registry::new();
        let build = move |settings: &mut hookgate::contract::settings::Settings<'_>,
                          _: &hookgate::contract::BuildContext<'_>| {
            settings.integer("limit");
            let number = built.fetch_add(1, Ordering::Relaxed);
            let called = Arc::clone(&called);
            let handler = BuiltHandler::from_sync(move |call: Invocation<'_>| {
                called.lock().unwrap().push((call.hook.to_owned(), number));
                Ok(Verdict::none().contribute(ContextPiece::new(call.hook, "text")))
            });
            Some(handler.identity("numbered"))
        };
        registry.register("numbered", build).unwrap();
        registry
    }

    /// The hooks that were called since the last time, each with the number of its handler.
    fn take_called(&self) -> Vec<(String, usize)> {
        std::mem::take(&mut *self.called.lock().unwrap())
    }
}

fn parse(registry: &Registry, text: &str) -> Loaded {
    Loader::new(registry)
        .parse("hooks.toml", text, Path::new("/"))
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

async fn gather(engine: &Engine) {
    let step = PromptContext(Planning::new("hello"));
    drop(engine.dispatch(step, &StepContext::new("s")).await);
}

fn hook(id: &str, more: &str) -> String {
    format!("[[hook]]\nid = \"{id}\"\nevent = \"prompt_context\"\n{more}\n")
}

const SHARED: &str = "[handler.memory]\nnumbered = { limit = 3 }\n\n";

#[tokio::test]
async fn hooks_that_name_a_handler_share_one_instance_and_each_keeps_its_own_policy() {
    let numbered = Numbered::default();
    let text = SHARED.to_owned()
        + &hook("late", "handler = \"memory\"\npriority = 200\nrequired = true")
        + &hook("early", "handler = \"memory\"\npriority = 1")
        + &hook("own", "numbered = { limit = 3 }");
    let table = parse(&numbered.registry(), &text).table;
    let specs: Vec<_> = table
        .specs()
        .map(|spec| (spec.id().as_str(), spec.kind(), spec.shared_handler(), spec.is_required()))
        .collect();
    let expected = [
        ("late", "numbered", Some("memory"), true),
        ("early", "numbered", Some("memory"), false),
        ("own", "numbered", None, false),
    ];
    assert_eq!(specs, expected);
    gather(&Engine::new(table)).await;
    let shared = ["early", "late"].map(|id| (id.to_owned(), 0));
    let [early, late] = shared;
    assert_eq!(numbered.take_called(), [early, ("own".to_owned(), 1), late]);
    assert_eq!(numbered.built.load(Ordering::Relaxed), 2, "one for both, and one of its own");
}

#[tokio::test]
async fn a_config_that_is_loaded_again_keeps_the_shared_instance_whatever_its_hooks_have_become() {
    let numbered = Numbered::default();
    let registry = numbered.registry();
    let text =
        |more: &str| SHARED.to_owned() + &hook("a", &format!("handler = \"memory\"\n{more}"));
    let first = parse(&registry, &text("")).table;
    let second = text("priority = 7") + &hook("b", "handler = \"memory\"");
    let load = |text: &str| {
        let loader = Loader::new(&registry).keeping(&first);
        loader.parse("hooks.toml", text, Path::new("/")).unwrap().table
    };
    gather(&Engine::new(load(&second))).await;
    let number = |called: Vec<(String, usize)>| {
        called.into_iter().map(|(_, number)| number).collect::<Vec<_>>()
    };
    assert_eq!(number(numbered.take_called()), [0, 0], "the instance of the first table");
    // Other settings are another handler, and again one for both.
    let other = second.replace("limit = 3", "limit = 4");
    gather(&Engine::new(load(&other))).await;
    let called = number(numbered.take_called());
    assert!(called[0] != 0 && called[0] == called[1], "{called:?}");
}

#[tokio::test]
async fn a_handler_that_names_another_is_made_of_what_that_is_made_of() {
    let numbered = Numbered::default();
    let registry = numbered.registry();
    let text = SHARED.to_owned()
        + "[handler.other]\nhandler = \"memory\"\n\n"
        + &hook("a", "handler = \"other\"");
    let first = parse(&registry, &text).table;
    let loader = Loader::new(&registry).keeping(&first);
    let changed = text.replace("limit = 3", "limit = 4");
    let second = loader.parse("hooks.toml", &changed, Path::new("/")).unwrap().table;
    assert_ne!(first.config_hash(), second.config_hash());
    gather(&Engine::new(second)).await;
    assert_eq!(numbered.take_called(), [("a".to_owned(), 1)], "the handler of the new settings");
}

#[test]
fn a_shared_handler_is_checked_for_the_events_of_its_hooks() {
    let limit = "builtin = { name = \"limit\", of = \"tokens\", over = 10, reason = \"enough\" }";
    let at_calls = |more: &str| hook("a", more).replace("prompt_context", "pre_tool_use");
    let inline = wrong(&at_calls(limit)).to_string();
    let shared = format!("[handler.tokens]\n{limit}\n\n") + &at_calls("handler = \"tokens\"");
    let shared = wrong(&shared).to_string();
    let problem = |text: &str| text.split_once(": ").map(|(_, problem)| problem.to_owned());
    assert_eq!(problem(&shared), problem(&inline), "{shared}");
}

#[tokio::test]
async fn a_handler_of_the_same_name_in_another_file_is_another_one() {
    let numbered = Numbered::default();
    let registry = numbered.registry();
    let folder = tempfile::tempdir().unwrap();
    let write = |id: &str| {
        let file = folder.path().join(format!("{id}.toml"));
        // Otherwise they are one hook under two ids.
        let more = format!("handler = \"memory\"\ntags = [\"{id}\"]");
        std::fs::write(&file, SHARED.to_owned() + &hook(id, &more)).unwrap();
        file
    };
    let files = [(Layer::User, write("a")), (Layer::Project, write("b"))];
    let first = Loader::new(&registry).load_layers(&files).unwrap().table;
    let second = Loader::new(&registry).keeping(&first).load_layers(&files).unwrap().table;
    gather(&Engine::new(second)).await;
    let kept = [("a".to_owned(), 0), ("b".to_owned(), 1)];
    assert_eq!(numbered.take_called(), kept, "each file keeps its own");
}

#[tokio::test]
async fn what_a_handler_declares_is_shown_and_held_to() {
    let numbered = Numbered::default();
    let manifest = "capabilities = { contributes = [\"audit\"], events = [\"prompt_context\", \"turn_policy\"], \
                    needs = [\"python3\"], sends = [] }\n";
    let text =
        SHARED.replace("\n\n", &format!("\n{manifest}\n")) + &hook("a", "handler = \"memory\"");
    let table = parse(&numbered.registry(), &text).table;
    let spec = table.specs().next().unwrap();
    let expected = [
        "handler memory",
        "declares: contributes audit; events prompt_context, turn_policy; needs python3; sends nothing",
    ];
    assert_eq!(spec.execution(), expected);
    assert_eq!(spec.notes(), expected, "`check` and `why` print them");
    let engine = Engine::new(table);
    let step = PromptContext(Planning::new("hello"));
    let (_, report) = engine.dispatch_reported(step, &StepContext::new("s")).await;
    assert_eq!(report.votes[0].failure, Some(FailureClass::Illegal));
    assert!(report.contributions.is_empty());
    drop(engine.dispatch(TurnPolicy(Planning::new("x")), &StepContext::new("s")).await);
}

#[test]
fn a_handler_of_the_host_is_named_in_the_same_way() {
    let registry = Registry::new();
    let frozen = BuiltHandler::sync(|_| Ok(Verdict::none()));
    registry.add_handler("memory", frozen).unwrap();
    assert!(registry.add_handler(" ", BuiltHandler::sync(|_| Ok(Verdict::none()))).is_err());
    let table = parse(&registry, &hook("a", "handler = \"memory\"")).table;
    assert_eq!(table.specs().next().unwrap().shared_handler(), Some("memory"));
    assert_eq!(registry.handlers(), ["memory"]);
}

#[test]
fn a_handler_that_no_hook_uses_is_warned_of_at_its_place() {
    let text = "[handler.memory]\nbuiltin = \"log\"\n\n".to_owned()
        + &crate::loading::hook("a", "stop", "");
    let warnings = load(&text).unwrap().warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(*warning.problem(), ConfigProblem::UnusedHandler("memory".into()));
    assert_eq!((warning.line(), warning.column()), (1, 10));
}

#[test]
fn mistakes_have_their_place() {
    let uses = "[[hook]]\nid = \"a\"\nevent = \"prompt_context\"\nhandler = \"memory\"\n";
    for (text, expected) in [
        (uses.to_owned(), "4:11: there is no handler `memory`"),
        (
            format!("[handler.memoyr]\nbuiltin = \"log\"\n{uses}"),
            "6:11: there is no handler `memory`; did you mean `memoyr`?",
        ),
        (format!("[handler.memory]\ncapabilities = {{}}\n{uses}"), "1:1: the hook has no handler"),
        (
            format!(
                "[handler.memory]\nbuiltin = \"log\"\ncapabilities = {{ events = [\"stop\"] }}\n{uses}"
            ),
            "6:9: hook `a`: the handler does not declare `prompt_context` among its events, only `stop`",
        ),
        (
            format!(
                "[handler.memory]\nbuiltin = \"log\"\ncapabilities = {{ contributes = [\"contxt\"] }}\n{uses}"
            ),
            "3:32: `contributes`: `contxt` is not one of policy, prompt_context",
        ),
        (
            format!(
                "[handler.memory]\nbuiltin = \"log\"\ncapabilities = {{ events = [\"stopp\"] }}\n{uses}"
            ),
            "3:27: unknown event `stopp`; did you mean `stop`?",
        ),
        (
            format!("[handler.memory]\nbuiltin = \"log\"\npriority = 3\n{uses}"),
            "3:1: unknown key `priority`",
        ),
        (
            format!("[handler]\nkind = \"my-kind\"\n{uses}"),
            "1:1: `handler`: `kind` is no name of a handler: write `[handler.NAME]`",
        ),
    ] {
        let errors = wrong(&text).to_string();
        let found = errors.lines().any(|line| line.starts_with(&format!("hooks.toml:{expected}")));
        assert!(found, "{text}\n--- expected\n{expected}\n--- found\n{errors}");
    }
}

#[cfg(unix)]
const WORKER: &str = "echo '{\"ready\":1}'; while read -r call; do id=${call#*:}; id=${id%%,*}; \
                      echo \"{\\\"id\\\":$id,\\\"verdict\\\":{\\\"context\\\":[\\\"$$\\\"]}}\"; done";

/// Runs a step of three hooks with a worker each, and returns the processes that have answered.
#[cfg(unix)]
async fn processes(config: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let registry = crate::support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", config, folder.path());
    let engine = Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}\n{config}")).table);
    let context = StepContext::new("s");
    let (_, report) = engine.dispatch_reported(crate::support::bash("ls"), &context).await;
    assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?}");
    report.context
}

#[cfg(unix)]
#[tokio::test]
async fn several_hooks_of_one_program_start_it_once() {
    let worker = format!("command = {{ shell = '''{WORKER}''', mode = \"worker\" }}");
    let hooks = |handler: &str| -> String {
        let hook = |id: &str| {
            format!(
                "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\ntimeout = \"60s\"\n{handler}\n"
            )
        };
        ["a", "b", "c"].map(hook).concat()
    };
    let shared = format!("[handler.w]\n{worker}\n{}", hooks("handler = \"w\""));
    let mut one = processes(&shared).await;
    assert_eq!(one.len(), 3);
    one.dedup();
    assert_eq!(one.len(), 1, "one process has answered for all");
    // The control: a handler of its own is a process of its own.
    let mut three = processes(&hooks(&worker)).await;
    three.sort();
    three.dedup();
    assert_eq!(three.len(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_fails_is_started_again_as_its_config_says() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "echo x >> tries; test $(wc -l < tries) -ge 3 || exit 7; echo '{\"context\":[\"done\"]}'";
    let config = |retry: &str| {
        format!(
            "[[hook]]\nid = \"a\"\nevent = \"pre_tool_use\"\ntimeout = \"60s\"\n{retry}\n\
             command = {{ shell = '''{script}''' }}\n"
        )
    };
    let registry = crate::support::registry();
    let run = async |text: &str| {
        let table = Loader::new(&registry).parse("hooks.toml", text, folder.path());
        let engine = Engine::new(table.unwrap_or_else(|errors| panic!("{errors}\n{text}")).table);
        let context = StepContext::new("s").cwd(folder.path().to_str().unwrap());
        engine.dispatch_reported(crate::support::bash("ls"), &context).await.1
    };
    let tried = || std::fs::read_to_string(folder.path().join("tries")).unwrap().lines().count();
    let report = run(&config("retry = { times = 2, backoff = \"1ms\", on = [\"exit\"] }")).await;
    assert_eq!((report.context.as_slice(), tried()), (&["done".to_owned()][..], 3), "{report:?}");
    assert_eq!(report.votes[0].failed_attempts, [FailureClass::Exit; 2]);
    // The controls: without `retry`, and with one for other failures, it is started once.
    for retry in ["", "retry = { times = 2, backoff = \"1ms\", on = [\"timeout\"] }"] {
        std::fs::remove_file(folder.path().join("tries")).unwrap();
        let report = run(&config(retry)).await;
        assert_eq!((report.votes[0].failure, tried()), (Some(FailureClass::Exit), 1));
    }
}
