//! `--live`: whether what the hooks need is there.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use futures_util::stream;
use hookgate::contract::probe::ProbeResult;
use hookgate::{FailureClass, HandlerTable, HookSpec};
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::colour::{BAD, DIM, GOOD};
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::progress::Progress;
use crate::text::{count, line};

/// How many hooks are tried at the same time.
const AT_ONCE: usize = 8;

/// What was found, in the order of the config.
pub(super) struct Live {
    tried: Vec<Tried>,
    /// The hooks for which there is nothing to try.
    untried: Vec<String>,
}

struct Tried {
    hook: String,
    kind: String,
    found: ProbeResult,
}

impl Live {
    /// Tries out all hooks that are not off.
    pub(super) async fn check(table: &HandlerTable) -> Result<Self, Abort> {
        let interrupted = interrupted();
        tokio::select! {
            live = Self::of(table) => Ok(live),
            () = interrupted => Err(Abort::failure("interrupted: not all hooks were tried")),
        }
    }

    async fn of(table: &HandlerTable) -> Self {
        let asked: BTreeSet<_> = table.listing().map(|hook| hook.id()).collect();
        let specs: Vec<_> = table.specs().filter(|spec| asked.contains(spec.id())).collect();
        let progress = Progress::of(specs.len());
        let check = async |spec: &HookSpec| {
            let found = spec.check_live(table.limits()).await;
            progress.one_more();
            found
        };
        let found: Vec<Option<ProbeResult>> =
            stream::iter(&specs).map(|spec| check(spec)).buffered(AT_ONCE).collect().await;
        progress.end();
        let (mut tried, mut untried) = (Vec::new(), Vec::new());
        for (spec, found) in specs.into_iter().zip(found) {
            let hook = spec.id().to_string();
            match found {
                Some(found) => tried.push(Tried { hook, kind: spec.kind().to_owned(), found }),
                None => untried.push(hook),
            }
        }
        Self { tried, untried }
    }

    /// One line for each hook, and what to do under those that failed.
    pub(super) fn text(&self) -> String {
        let width = self.tried.iter().map(|tried| tried.hook.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for Tried { hook, kind, found } in &self.tried {
            match found {
                Ok(found) => {
                    text.push_str(&format!(
                        "{GOOD}ok{GOOD:#}     {hook:width$}  {}\n",
                        line(found)
                    ));
                }
                Err(failure) => {
                    let (class, detail) = (failure.class, line(&failure.detail));
                    text.push_str(&format!(
                        "{BAD}failed{BAD:#} {hook:width$}  {BAD}{class}{BAD:#}: {detail}\n{DIM}  \
                         help: {}{DIM:#}\n",
                        advice(kind, class)
                    ));
                }
            }
        }
        if !self.untried.is_empty() {
            let all = self.untried.join(", ");
            text.push_str(&format!("{DIM}nothing to try out without a judgement: {all}{DIM:#}\n"));
        }
        text
    }

    /// The same for programs, as further keys of what the check prints.
    pub(super) fn json(&self) -> Map<String, Value> {
        let rows: Vec<Value> = self
            .tried
            .iter()
            .map(|Tried { hook, kind, found }| match found {
                Ok(found) => json!({"hook": hook, "ok": true, "found": found}),
                Err(failure) => json!({
                    "hook": hook,
                    "ok": false,
                    "failure": failure.class,
                    "detail": failure.detail,
                    "help": advice(kind, failure.class),
                }),
            })
            .collect();
        Map::from_iter([
            ("live".to_owned(), rows.into()),
            ("untried".to_owned(), json!(self.untried)),
        ])
    }

    /// How the verb ends: a hook that does not work fails it, though its config is valid.
    pub(super) fn exit(&self) -> Result<Exit, Abort> {
        let failed = self.tried.iter().filter(|tried| tried.found.is_err()).count();
        if failed == 0 {
            return Ok(Exit::Ok);
        }
        let failed = count(failed, "live check");
        Err(Abort::failure(format!("the config is valid, but {failed} failed")))
    }
}

/// What to do about a failure.
fn advice(kind: &str, class: FailureClass) -> &'static str {
    match (kind, class) {
        ("prompt", FailureClass::Auth) => {
            "put a key that the server takes into the environment variable of `api_key_env`"
        }
        ("prompt", FailureClass::Unreachable) => "start the server, or correct `base_url`",
        ("prompt", FailureClass::Timeout) => {
            "see whether the server is busy; raise `timeout`, or take a faster model"
        }
        ("prompt", FailureClass::HttpStatus) => {
            "see whether `base_url`, `model` and `response` are what the server knows; its log says \
             more"
        }
        ("prompt", FailureClass::Overloaded) => {
            "try again later; lower `limits.concurrency`, or name a `fallback`"
        }
        ("prompt", FailureClass::Malformed | FailureClass::Oversize | FailureClass::Unsure) => {
            "take a model that can judge; where the server can hold it to a form, set `response`"
        }
        ("command", FailureClass::Untrusted) => "this machine cannot enforce `sandbox`",
        ("command", FailureClass::Timeout) => {
            "see what the worker does before its first line; raise `timeout`"
        }
        ("command", _) => {
            "run the program by hand with HOOKGATE_WORKER=1: its first line is {\"ready\":1}"
        }
        (_, FailureClass::Panic) => "this is a defect of the handler: report it",
        _ => "correct what the hook names",
    }
}
