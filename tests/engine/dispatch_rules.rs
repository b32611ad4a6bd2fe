//! Promise: the eleven dispatch rules hold.

mod bounds;
mod deciders;
mod observers;
mod outcomes;

use std::time::Duration;

use hookgate::matcher::{MatchSpec, Test};
use hookgate::{Hook, Role, Verdict};
use serde_json::json;

use crate::support::{Log, command, sync, waiting};

fn rewrite(id: &str, from: &'static str, to: &'static str) -> Hook {
    sync(id, move |invocation| {
        let seen = command(invocation);
        if !seen.contains(from) {
            return Ok(Verdict::none());
        }
        Ok(Verdict::none().patch("tool_input", json!({ "command": seen.replace(from, to) })))
    })
    .role(Role::Rewrite)
}

fn watch(id: &'static str, log: &Log) -> Hook {
    let log = log.clone();
    sync(id, move |invocation| {
        log.push(format!("{id} {}", command(invocation)));
        Ok(Verdict::none())
    })
}

fn containing(text: &str) -> MatchSpec {
    MatchSpec::new().input("/command", Test::regex(text))
}

fn slow(id: &'static str, wait: u64, log: &Log, verdict: Verdict) -> Hook {
    let log = log.clone();
    waiting(id, move |_| {
        let (log, verdict) = (log.clone(), verdict.clone());
        Box::pin(async move {
            log.push(format!("{id} begins"));
            tokio::time::sleep(Duration::from_millis(wait)).await;
            log.push(format!("{id} ends"));
            Ok(verdict)
        })
    })
}
