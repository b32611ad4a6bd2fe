//! `--live`: whether the hooks can reach what they need.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use futures_util::stream;
use hookgate::contract::ProbeResult;
use hookgate::{FailureClass, HandlerTable, HookSpec};
use serde_json::{Map, Value, json};

use super::entry::{Entry, Level};
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::terminal::phrase::count;
use crate::terminal::progress::Progress;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BAD, DIM, GOOD};

/// How many hooks are probed at the same time.
const AT_ONCE: usize = 8;

/// What the probes found, in the order of the config.
pub(super) struct Probes {
    probed: Vec<Probed>,
    /// The hooks that have no probe.
    without_probe: Vec<String>,
}

struct Probed {
    hook: String,
    kind: String,
    found: ProbeResult,
}

impl Probes {
    /// Probes all hooks that are not off.
    pub(super) async fn run(table: &HandlerTable) -> Result<Self, Abort> {
        let interrupted = interrupted();
        tokio::select! {
            probes = Self::run_all(table) => Ok(probes),
            () = interrupted => Err(Abort::failure("interrupted: not all hooks were probed")),
        }
    }

    async fn run_all(table: &HandlerTable) -> Self {
        let listed: BTreeSet<_> = table.listing().map(|hook| hook.id()).collect();
        let specs: Vec<_> = table.specs().filter(|spec| listed.contains(spec.id())).collect();
        let progress = Progress::over_items(specs.len() as u64);
        let probe = async |spec: &HookSpec| {
            let found = spec.check_live(table.limits()).await;
            progress.advance_item();
            found
        };
        let found: Vec<Option<ProbeResult>> =
            stream::iter(&specs).map(|spec| probe(spec)).buffered(AT_ONCE).collect().await;
        progress.finish();
        let (mut probed, mut without_probe) = (Vec::new(), Vec::new());
        for (spec, found) in specs.into_iter().zip(found) {
            let hook = spec.id().to_string();
            match found {
                Some(found) => probed.push(Probed { hook, kind: spec.kind().to_owned(), found }),
                None => without_probe.push(hook),
            }
        }
        Self { probed, without_probe }
    }

    /// Returns a line for each hook, and below those that failed what to do.
    pub(super) fn to_text(&self) -> String {
        let width = self.probed.iter().map(|probed| probed.hook.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for Probed { hook, kind, found } in &self.probed {
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
        if !self.without_probe.is_empty() {
            let hooks = self.without_probe.join(", ");
            text.push_str(&format!("{DIM}nothing to probe without a decision: {hooks}{DIM:#}\n"));
        }
        text
    }

    /// Returns the same for programs, as further keys of what the verb prints.
    pub(super) fn to_json(&self) -> Map<String, Value> {
        let rows: Vec<Value> = self
            .probed
            .iter()
            .map(|Probed { hook, kind, found }| match found {
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
            ("untried".to_owned(), json!(self.without_probe)),
        ])
    }

    /// Returns each hook that does not work as a mistake, at its place.
    pub(super) fn entries(&self, config: &str, table: &HandlerTable) -> Vec<Entry> {
        let entry = |probed: &Probed| {
            let failure = probed.found.as_ref().err()?;
            let origin = table.specs().find(|spec| *spec.id() == *probed.hook)?.origin();
            let file = origin.file_name().map(str::to_owned);
            Some(Entry {
                code: "live_check",
                level: Level::Error,
                file: file.unwrap_or_else(|| config.to_owned()),
                at: origin.position_of("id"),
                message: format!("`{}`: {}: {}", probed.hook, failure.class, failure.detail),
                help: Some(advice(&probed.kind, failure.class).to_owned()),
            })
        };
        self.probed.iter().filter_map(entry).collect()
    }

    /// Returns how the verb ends: a hook that does not work fails it, although the config is valid.
    pub(super) fn exit(&self) -> Result<Exit, Abort> {
        let failed = self.probed.iter().filter(|probed| probed.found.is_err()).count();
        if failed == 0 {
            return Ok(Exit::Ok);
        }
        let failed = count(failed, "live check");
        Err(Abort::failure(format!("the config is valid, but {failed} failed")))
    }
}

/// Returns what to do about a failure.
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
            "see whether the server knows `base_url`, `model` and `response`; its log says more"
        }
        ("prompt", FailureClass::Overloaded) => {
            "try again later; lower `limits.concurrency`, or name a `fallback`"
        }
        ("prompt", FailureClass::Malformed | FailureClass::Oversize | FailureClass::Unsure) => {
            "take a model that can judge; if the server can hold it to a form, set `response`"
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
