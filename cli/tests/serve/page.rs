//! Promise: the session that docs/serve.md shows is what really happens.

use std::path::Path;

use serde_json::Value;

use crate::support::{Folder, Host};

/// Keeps of an answer what the page shows of it: `"…"` stands for anything, and `"…": "…"` for fields left out.
fn shown(real: &Value, page: &Value) -> bool {
    match (real, page) {
        (_, Value::String(any)) if any == "…" => true,
        (Value::Object(real), Value::Object(page)) => {
            let leaves_out = page.contains_key("…");
            let named = page.iter().filter(|(name, _)| *name != "…");
            let all = named
                .clone()
                .all(|(name, page)| real.get(name).is_some_and(|real| shown(real, page)));
            all && (leaves_out || named.count() == real.len())
        }
        (Value::Array(real), Value::Array(page)) => {
            real.len() == page.len() && real.iter().zip(page).all(|(real, page)| shown(real, page))
        }
        _ => real == page,
    }
}

#[test]
fn the_session_on_the_page_is_a_real_one() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/serve.md");
    let page = std::fs::read_to_string(page).unwrap();
    let fenced = |language: &str| -> Vec<String> {
        let begin = format!("```{language}\n");
        page.split(&begin)
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap().to_owned())
            .collect()
    };
    let folder = Folder::with_hooks(&fenced("toml")[0]);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let mut lines = 0;
    for line in fenced("text").concat().lines() {
        let read = |text: &str| -> Value {
            serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
        };
        if let Some(sent) = line.strip_prefix("→ ") {
            read(sent);
            host.send_text(sent);
        } else if let Some(expected) = line.strip_prefix("← ") {
            let real = host.line().unwrap();
            assert!(shown(&real, &read(expected)), "the page says\n{expected}\nand it is\n{real}");
        }
        lines += 1;
    }
    assert!(lines >= 8, "{lines}");
}
