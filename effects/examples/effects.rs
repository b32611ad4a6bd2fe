//! Prints what tool calls would do, as JSON: one object a line.
//!
//! ```text
//! cargo run -p hookgate-effects --example effects -- --command 'sudo rm -rf build'
//! cargo run -p hookgate-effects --example effects < steps.jsonl
//! ```

use std::error::Error;
use std::io::{BufRead, Write};

use hookgate_effects::{Effects, Manifests, Surroundings};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let home = std::env::var("HOME").ok();
    let mut out = std::io::stdout().lock();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--command", text] => {
            let cwd = std::env::current_dir()?.to_str().map(str::to_owned);
            let around = Surroundings { cwd, home };
            let effects = Effects::of_command(text, &around);
            writeln!(
                out,
                "{}",
                serde_json::to_string(&effects.report("Bash", around.cwd.as_deref()))?
            )?;
        }
        [] => {
            let manifests = Manifests::default();
            for line in std::io::stdin().lock().lines() {
                let step: Value = serde_json::from_str(&line?)?;
                let text = |key| step.get(key).and_then(Value::as_str);
                // A step without a tool has no effects.
                let Some(tool_name) = text("tool_name") else { continue };
                let cwd = text("cwd").map(str::to_owned);
                let around = Surroundings { cwd, home: home.clone() };
                let input = step.get("tool_input").unwrap_or(&Value::Null);
                let effects = Effects::of_call(tool_name, input, &around, &manifests);
                let report = effects.report(tool_name, around.cwd.as_deref());
                writeln!(out, "{}", serde_json::to_string(&report)?)?;
            }
        }
        _ => return Err("effects [--command TEXT], or steps as JSON lines on stdin".into()),
    }
    Ok(())
}
