//! Promise: a judge that would not judge as its writer means is refused when it is loaded.

use std::path::Path;
use std::sync::Arc;

use hookgate_contract::settings::{Node, Settings, Surroundings};
use serde_json::{Value, json};

use crate::Judge;

fn build(settings: &Value) -> Result<Judge, Vec<String>> {
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let judge =
        Judge::build(&mut settings, &Surroundings::new(Path::new("/"), 1000), Arc::default());
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
fn what_makes_no_sense_is_told() {
    let cases = [
        (json!({"modle": "x"}), "did you mean `model`"),
        (json!({"prompt": "{{ tool_input }}"}), "there is no variable `tool_input`"),
        (json!({"prompt": ""}), "is empty"),
        (json!({"prompt_file": "x.md"}), "there is a `prompt` already"),
        (json!({"base_url": "http://far.example/v1", "api_key_env": "K"}), "use https"),
        (json!({"base_url": "http://127.0.0.1.far.example/v1", "api_key_env": "K"}), "use https"),
        (json!({"base_url": "https://a:b@far.example/v1"}), "password"),
        (json!({"base_url": "ftp://far.example"}), "https:// or http://"),
        (json!({"show": ["tool_name"]}), "no JSON pointer"),
        (json!({"show": []}), "shows nothing"),
        (json!({"temperature": 3}), "from 0 to 2"),
        (json!({"temperature": "hot"}), "from 0 to 2"),
        (json!({"samples": 4, "agree": 2}), "two decisions could win"),
        (json!({"agree": 2}), "between 1 and 1"),
        (json!({"respond": "poem"}), "not one of"),
        (json!({"response": "xml"}), "not one of"),
        (json!({"budget": {"hour": {"money": 1}}}), "needs the price"),
        (json!({"budget": {"day": {}}}), "unknown key `day`"),
        (json!({"limits": {"rate": 0}}), "not between"),
        (json!({"fallback": [{"modl": "x"}]}), "`model` is missing"),
        (json!({"fallback": "x"}), "no list"),
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
fn what_makes_sense_is_built() {
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
