//! Promise: configs are loaded in linear time, whatever is wrong with them.

use std::hint::black_box;

use hookgate::config::Loader;
use hookgate_test_support as support;
use serde_json::Value;

use super::{excess, holds_for_all_texts};

#[test]
fn the_texts_of_a_hook_are_read_in_linear_time() {
    let registry = support::registry();
    holds_for_all_texts("a hook", &|text| {
        let text = Value::String(text.chars().filter(|c| !c.is_control()).collect());
        let config = format!(
            "version = 1\n[[hook]]\nid = {text}\nevent = {text}\ntool = {text}\n\
             builtin = {{ name = {text}, reason = {text} }}\n"
        );
        let loaded = Loader::new(&registry).parse("hooks.toml", &config, "/nonexistent".as_ref());
        let _ = black_box(loaded.map(|_| ()).map_err(|errors| errors.to_string()));
    });
}

fn load(config: &str) {
    let registry = support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", config, "/nonexistent".as_ref());
    match loaded {
        Ok(loaded) => drop(black_box((loaded.table.config_hash(), loaded.warnings.len()))),
        Err(errors) => drop(black_box(errors.to_string())),
    }
}

#[test]
fn configs_are_read_in_linear_time() {
    holds_for_all_texts("a config", &|text| load(text));
}

/// A config: its name here, its beginning, what is repeated, its end.
type Rows = (&'static str, &'static str, fn(usize) -> String, &'static str);

#[test]
fn configs_of_many_mistakes_are_read_in_linear_time() {
    const DENY: &str = "builtin = { name = 'deny', reason = 'no' }\n";
    // As many of these as the config is long.
    let rows: &[Rows] = &[
        ("hooks", "", |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\n{DENY}"), ""),
        ("one id", "", |_| format!("[[hook]]\nid='h'\nevent='stop'\n{DENY}"), ""),
        ("one id, no event", "", |_| format!("[[hook]]\nid='h'\n{DENY}"), ""),
        (
            "one id, wrong role",
            "",
            |_| format!("[[hook]]\nid='h'\nevent='stop'\ntool='X'\n{DENY}"),
            "",
        ),
        (
            "missing ids",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='stop'\nafter='x{at}'\n{DENY}"),
            "",
        ),
        (
            "other events",
            "[[hook]]\nid='h'\nevent='stop'\nbuiltin='audit'\n",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\nafter='h'\n{DENY}"),
            "",
        ),
        (
            "observers",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nrole='observe'\nbuiltin='audit'\n",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\nafter='h'\n{DENY}"),
            "",
        ),
        (
            "a circle",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='stop'\nafter='h{}'\n{DENY}", at / 2),
            "",
        ),
        ("a long list", "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[", |_| "'stop',".into(), "]\n"),
        (
            "unknown events",
            "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[",
            |at| format!("'x.{at}',"),
            "]\n",
        ),
        ("globs", "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[", |_| "'pre_*',".into(), "]\n"),
        ("unknown keys", "[[hook]]\nid='h'\n", |at| format!("k{at}=1\n"), ""),
        ("a line", "hook=[", |at| format!("{{id='h{at}',x=1}},"), "]\n"),
        ("required", "[require]\nhooks=[", |at| format!("'h{at}',"), "]\n"),
        (
            "required and there",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\n{DENY}[require.x{at}]\n"),
            "",
        ),
        (
            "tools",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\ntool=[",
            |at| format!("'T{at}',"),
            "]\n",
        ),
        (
            "tools and not",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\ntool=[",
            |at| format!("'T{at}','!T{at}',"),
            "]\n",
        ),
        (
            "inputs",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\n[hook.input]\n",
            |at| format!("'/a{at}'={{equals={at}}}\n"),
            "",
        ),
        (
            "numbers",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\n[hook.input]\n'/a'={one_of=[",
            |at| format!("1e{at},99999999999999999999,"),
            "]}\n",
        ),
        (
            "arguments",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['sh'",
            |at| format!(",'-a{at}'"),
            "]}\n",
        ),
        (
            "wrappers",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['env'",
            |_| ",'env'".into(),
            "]}\n",
        ),
        (
            "variables",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['env'",
            |at| format!(",'A{at}=b'"),
            "]}\n",
        ),
    ];
    let mut slow = Vec::new();
    for (name, head, row, tail) in rows {
        let make = |length: usize| {
            let mut config = format!("version = 1\n{head}");
            for at in 0.. {
                config.push_str(&row(at));
                if config.len() > length {
                    break;
                }
            }
            config + tail
        };
        slow.extend(excess(&make, &|config: &String| load(config)).map(|ratio| (*name, ratio)));
    }
    assert!(slow.is_empty(), "loading is not linear in these: {slow:?}");
}
