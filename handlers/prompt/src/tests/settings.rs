//! Promise: settings that do not mean what their writer thinks are refused when they are loaded.

use std::path::Path;
use std::sync::Arc;

use hookgate_contract::BuildContext;
use hookgate_contract::Event;
use hookgate_contract::settings::{Node, Settings};
use serde_json::{Value, json};

use crate::Judge;

fn build(settings: &Value) -> Result<Judge, Vec<String>> {
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let judge =
        Judge::build(&mut settings, &BuildContext::new(Path::new("/"), 1000), Arc::default());
    let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
    if errors.is_empty() { Ok(judge.unwrap()) } else { Err(errors) }
}

fn with(more: Value) -> Result<Judge, Vec<String>> {
    let mut all = json!({"model": "m", "base_url": "http://127.0.0.1:9/v1/", "prompt": "No."});
    let (Some(all_of), Value::Object(more)) = (all.as_object_mut(), more) else { panic!() };
    all_of.extend(more);
    build(&all)
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let cases = [
        (json!({"modle": "x"}), "did you mean `model`"),
        (json!({"on_cut": "allow"}), "not one of fail, judge"),
        (json!({"keep_answer": "yes"}), "must be a boolean"),
        (json!({"prompt": "{{ tool_input }}"}), "there is no variable `tool_input`"),
        (json!({"prompt": ""}), "is empty"),
        (json!({"prompt_file": "x.md"}), "there is a `prompt` already"),
        (json!({"base_url": "http://far.example/v1", "api_key_env": "K"}), "use https"),
        (json!({"base_url": "http://127.0.0.1.far.example/v1", "api_key_env": "K"}), "use https"),
        (json!({"base_url": "https://a:b@far.example/v1"}), "password"),
        (json!({"base_url": "http://far.example/v1"}), "use https"),
        (json!({"base_url": "ftp://far.example"}), "https:// or http://"),
        (json!({"show": ["tool_name"]}), "is not a JSON pointer"),
        (json!({"show": []}), "shows nothing"),
        (json!({"temperature": 3}), "from 0 to 2"),
        (json!({"temperature": "hot"}), "from 0 to 2"),
        (json!({"samples": 4, "agree": 2}), "two decisions could win"),
        (json!({"agree": 2}), "between 1 and 1"),
        (json!({"respond": "poem"}), "not one of"),
        (json!({"response": "xml"}), "not one of"),
        (json!({"budget": {"hour": {"money": 1}}}), "needs the price"),
        (json!({"budget": {"day": {}}}), "unknown key `day`"),
        (json!({"limits": {"rate": 0}}), "must be 1 to"),
        (json!({"fallback": [{"modl": "x"}]}), "`model` is missing"),
        (json!({"fallback": "x"}), "is not a list"),
        (json!({"first": {"model": "s", "batch": true}}), "unknown key `batch`"),
        (json!({"first": "s", "respond": "context"}), "decisions only"),
        (json!({"cache": {"ttl": "0s"}}), "nothing"),
        (json!({"model": " "}), "is empty"),
    ];
    for (more, expected) in cases {
        let errors = with(more.clone()).map(|_| ()).unwrap_err();
        assert!(errors.iter().any(|error| error.contains(expected)), "{more} {errors:?}");
    }
    assert!(build(&json!({})).is_err());
    let all = json!({"prompt": "{{ x }}", "retries": 99, "agree": 9, "first": {}, "show": ["x"]});
    let errors = with(all).map(|_| ()).unwrap_err();
    assert_eq!(errors.len(), 4, "all at once, and nothing else: {errors:?}");
}

#[test]
fn settings_that_make_sense_are_built() {
    for more in [
        json!({}),
        json!({"temperature": "default", "seed": 1, "cache": false, "batch": true}),
        json!({"temperature": 0.5, "samples": 5, "agree": 4, "vars": {"x": 1}}),
        json!({"prompt": "{{ event }} {{ vars.x }}", "vars": {"x": 1}}),
        json!({"prices": {"m": {"input": 1, "output": 2.5}}, "budget": {"session": {"money": 1}}}),
        json!({"first": {"model": "s", "prompt": "Short.", "response": "text"}}),
        json!({"fallback": [{"model": "o", "base_url": "https://far.example/v1", "api_key_env": "K"}]}),
        json!({"base_url": "https://far.example/v1"}),
    ] {
        with(more.clone()).unwrap_or_else(|errors| panic!("{more} {errors:?}"));
    }
}

fn at(events: &[Event], show: &Value) -> Result<(), String> {
    let node = Node::from_json(&json!({
        "model": "m", "base_url": "https://far.example/v1", "prompt": "No.", "show": show,
    }));
    let mut settings = Settings::new(&node);
    let context = BuildContext::new(Path::new("/"), 1000).at(events);
    let built = Judge::build(&mut settings, &context, Arc::default());
    let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
    if errors.is_empty() {
        assert!(built.is_some());
        return Ok(());
    }
    Err(errors.join("\n"))
}

#[test]
fn a_pointer_that_leads_nowhere_at_an_event_is_refused() {
    let tool = [Event::PreToolUse];
    let wrong = at(&tool, &json!(["/tool_name", "/tool_inptu"])).unwrap_err();
    assert!(wrong.contains("did you mean `/tool_input`?"), "{wrong}");
    let wrong = at(&tool, &json!(["/command"])).unwrap_err();
    assert!(wrong.contains("`/tool_input/command`"), "{wrong}");
    let wrong = at(&[Event::UserPromptSubmit], &json!(["/promt"])).unwrap_err();
    assert!(wrong.contains("did you mean `/prompt`?"), "{wrong}");
    let both = [Event::PreToolUse, Event::PostToolUse];
    assert!(at(&both, &json!(["/tool_response"])).unwrap_err().contains("\"/tool_response?\""));
    assert_eq!(at(&both, &json!(["/tool_response?", "/tool_input/command", "/cwd?"])), Ok(()));
    assert!(at(&tool, &json!(["/tool_respnse?"])).is_err(), "not even where it may be missing");
    assert_eq!(at(&[Event::Custom], &json!(["/whatever"])), Ok(()));
}

#[test]
fn plain_http_needs_a_setting() {
    let plain = |url: &str, allow: bool| {
        let more = json!({"base_url": url, "allow_plain_http": allow});
        with(more).map(|_| ()).map_err(|errors| errors.join("\n"))
    };
    for near in ["http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1", "http://127.1"]
    {
        assert_eq!(plain(near, false), Ok(()), "{near}");
    }
    for house in ["http://judge.internal:8000/v1", "http://10.0.0.7/v1", "http://[fd00::1]/v1"] {
        assert!(plain(house, false).unwrap_err().contains("allow_plain_http = true"), "{house}");
        assert_eq!(plain(house, true), Ok(()), "{house}");
    }
    for far in ["http://93.184.215.14/v1", "http://169.254.169.254/", "http://[2606:4700::1]/v1"] {
        assert!(plain(far, true).unwrap_err().contains("use https"), "{far}");
    }
    // Each model says it for itself.
    let house = "http://judge.internal/v1";
    let fallback = json!({"fallback": [{"model": "o", "base_url": house}]});
    assert!(with(fallback).is_err());
    let own = json!({"first": {"model": "s", "base_url": house}, "allow_plain_http": true});
    assert!(with(own).is_err());
    let whole = json!({"base_url": house, "allow_plain_http": true, "first": {"model": "s"}});
    assert!(with(whole).is_ok(), "the same server");
}

#[test]
fn a_duration_that_no_clock_can_hold_is_refused() {
    for (key, value) in [
        ("backoff", json!("18446744073709551615s")),
        ("backoff", json!("2y")),
        ("cache", json!({"ttl": "18446744073709551615s"})),
    ] {
        let errors = with(json!({key: value})).map(|_| ()).unwrap_err();
        assert!(errors.join("").contains("than a year"), "{errors:?}");
    }
}
