//! Promise: every hook knows its file, its position there and its layer; hooks made in Rust know their
//! line. Errors of the table carry that, and it is not a part of what a hook is.

use hookgate::config::Loader;
use hookgate::matcher::{MatchSpec, Test};
use hookgate::table::{BuildProblem, Layer, Limits, TableBuilder};
use hookgate::{Event, HandlerTable, Hook, Verdict};

use crate::loading::{hook, load, registry, wrong};
use crate::support::Log;

fn guard(id: &str) -> Hook {
    Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse)
}

#[test]
fn a_hook_of_a_file_knows_its_layer_file_line_and_span() {
    let text = format!("# é\n{}\n{}", hook("a", "stop", ""), hook("b", "stop", ""));
    let registry = registry(&Log::default());
    let loader = Loader::new(&registry).layer(Layer::Managed);
    let table = loader.parse("conf/hooks.toml", &text, "/".as_ref()).unwrap().table;
    let origins: Vec<_> = table.specs().map(|spec| spec.origin().clone()).collect();
    assert_eq!(origins[0].layer(), Layer::Managed);
    assert_eq!(origins[0].file_name(), Some("conf/hooks.toml"));
    assert_eq!([origins[0].line(), origins[1].line()], [Some(2), Some(8)]);
    assert!(text[origins[1].span().unwrap()].starts_with("[[hook]]"));
    assert_eq!(&text[origins[1].span_of("event").unwrap()], "event");
    assert_eq!(origins[1].span_of("timeout"), origins[1].span(), "the hook has no such key");
    let json = serde_json::to_value(&origins[1]).unwrap();
    assert_eq!((&json["layer"], &json["line"]), (&"managed".into(), &8.into()));
}

#[test]
fn an_error_of_the_table_carries_the_origin_of_its_hook() {
    let mut builder = HandlerTable::builder();
    builder.insert(guard("a"));
    let line = usize::try_from(line!()).unwrap() + 1;
    builder.insert(Hook::sync("a", |_| Ok(Verdict::none())).event(Event::Stop).tool("[x"));
    let errors = builder.build().unwrap_err();
    assert!(errors.errors().len() >= 2, "{errors}");
    for error in errors {
        let origin = error.origin.expect("it is about a hook");
        assert_eq!((origin.layer(), origin.line()), (Layer::Code, Some(line)), "{:?}", error.key);
        assert!(origin.file_name().unwrap().ends_with("origins.rs"));
    }
    // An error of the limits is about no hook.
    let limits = Limits::new().concurrency(usize::MAX);
    let errors = HandlerTable::builder().limits(limits).build().unwrap_err();
    assert!(errors.errors().iter().all(|error| error.origin.is_none()));
}

/// The second hook of an id, and not the first, is where its mistakes are.
#[test]
fn a_mistake_is_found_in_the_very_hook_that_has_it() {
    let text = [hook("a", "stop", ""), hook("a", "stop", "role = 'rewrite'")].concat();
    let errors = wrong(&text);
    let lines: Vec<_> = errors.errors().iter().map(|error| error.line()).collect();
    assert_eq!(lines, [7, 10], "{errors}");
}

#[test]
fn the_origin_of_a_hook_is_not_a_part_of_its_hash() {
    let text = hook("a", "stop", "");
    let moved = format!("# another line\n\n{text}");
    let hash = |text: &str| load(text).unwrap().table.config_hash().to_string();
    assert_eq!(hash(&text), hash(&moved));
    assert_ne!(hash(&text), hash(&hook("a", "stop", "priority = 1")), "the control");
}

#[test]
fn no_step_of_the_builder_takes_back_another() {
    let conditions = MatchSpec::new().tool("B").agent("x").input("/b", !Test::exists());
    let hook = guard("h")
        .tool("A")
        .input("/a", Test::equals(1))
        .matching(conditions.clone())
        .tool("C")
        .event(Event::PostToolUse)
        .events([Event::Stop])
        .matching(MatchSpec::new())
        .build();
    let matcher = hook.matcher();
    assert_eq!(matcher.tool, ["A", "B", "C"]);
    assert_eq!(matcher.agent, ["x"]);
    assert_eq!(matcher.input[1], conditions.input[0]);
    let pointers: Vec<_> = matcher.input.iter().map(|spec| spec.pointer.as_str()).collect();
    assert_eq!(pointers, ["/a", "/b"]);
    assert_eq!(hook.events().len(), 3);
}

#[test]
fn a_builder_can_be_changed_after_it_was_built_and_inside_an_edit() {
    static DEPLOY: hookgate::Contract =
        hookgate::Contract::custom("x.deploy", hookgate::EventKind::Gate);
    let mut builder = [guard("a")].into_iter().collect::<TableBuilder>();
    let first = builder.build().unwrap();
    assert_eq!(builder.build().unwrap().config_hash(), first.config_hash(), "twice the same");
    builder.extend([guard("b"), guard("c")]);
    assert_eq!((builder.build().unwrap().len(), first.len()), (3, 1));

    let engine = hookgate::Engine::new(first.clone());
    let deploy = || Hook::sync("d", |_| Ok(Verdict::none())).custom_event("x.deploy");
    let refused = engine.edit(|table| {
        table.insert(deploy());
    });
    let problem = refused.unwrap_err().into_iter().next().unwrap().problem;
    assert!(matches!(&problem, BuildProblem::UnknownContract { event, .. } if event == "x.deploy"));
    engine
        .edit(|table| {
            table.contract(&DEPLOY).limits(Limits::new().concurrency(2)).insert(deploy());
        })
        .unwrap();
    let table = engine.table();
    assert_eq!((table.len(), table.limits().concurrency), (2, 2));
}
