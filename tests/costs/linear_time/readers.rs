//! Promise: secrets, verdicts, envelopes, JSON and messages are read and made in linear time.

use std::hint::black_box;

use hookgate::Verdict;
use hookgate::contract::settings::{Node, Settings};
use hookgate::contract::suggest::nearest;
use hookgate::contract::{json, quote};
use hookgate::envelope::Incoming;
use hookgate_secrets::{Finder, Secrets};
use serde_json::json;

use super::{holds_for_all_texts, holds_for_all_values};

#[test]
fn secrets_are_hidden_in_linear_time() {
    let secrets = Secrets::new([
        ("KEY".to_owned(), "hunter2-and-more".to_owned()),
        ("PEM".to_owned(), "line one of it\nline two of it\n".to_owned()),
    ]);
    holds_for_all_texts("hide_cut", &|text| {
        black_box(secrets.hide_cut(text, true, true));
    });
}

#[test]
fn secrets_are_redacted_in_linear_time() {
    let finder = Finder::new(&["(?m)^internal.*$", "a+b", "[0-9]{4}"], &["x-pin"]).unwrap();
    holds_for_all_texts("redact", &|text| {
        black_box(finder.redact(text));
    });
    holds_for_all_texts("suspects", &|text| {
        black_box(Finder::catalogue().suspects(text));
    });
}

#[test]
fn verdicts_envelopes_and_json_are_read_in_linear_time() {
    holds_for_all_texts("a verdict", &|text| {
        let _ = black_box(Verdict::parse(text.as_bytes()));
        let _ =
            black_box(Verdict::parse(format!("{{\"decision\":\"deny\",\"x\":\"{text}").as_bytes()));
    });
    holds_for_all_texts("an envelope", &|text| {
        let line = json!({"hook_event_name": text, "session_id": text});
        let _ = black_box(
            Incoming::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()),
        );
        let _ = black_box(Incoming::parse(text.as_bytes()).map_err(|error| error.to_string()));
    });
    holds_for_all_values("an envelope", &|value| {
        let line = json!({"hook_event_name": "post_tool_use", "tool_name": "x", "tool_input": value,
            "tool_response": value, "more": value});
        let _ = black_box(
            Incoming::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()),
        );
        let line = json!({"hook_event_name": "stop", "tool_name": value}).to_string();
        let _ = black_box(json::parse(line.as_bytes()));
    });
    holds_for_all_values("a verdict", &|value| {
        for verdict in [
            json!({"decision": "deny", "patch": value, "annotations": value}),
            json!({"decision": "deny", "answer": value, "contributions": [value]}),
            json!({"decision": value, "reason_code": value}),
            value.clone(),
        ] {
            let _ = black_box(Verdict::parse(verdict.to_string().as_bytes()));
        }
        let mut target = value.clone();
        json::merge(&mut target, value.clone());
        black_box(target);
    });
}

#[test]
fn messages_and_hints_are_made_in_linear_time() {
    holds_for_all_texts("a message", &|text| {
        black_box(nearest(text, &["pre_tool_use", "stop"]));
        black_box(nearest("pre_tool_use", &[text.as_str(), "stop"]));
        black_box((quote::Quoted(text).to_string(), quote::message(text), quote::lines(text)));
    });
    holds_for_all_values("settings", &|value| {
        let node = Node::from_json(&json!({"known": 1, "table": value, "unknown": value}));
        let mut settings = Settings::new(&node);
        settings.integer("known");
        if let Some(mut table) = settings.table("table") {
            table.text("key");
            settings.absorb(table.finish());
        }
        let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
        black_box(errors);
    });
}
