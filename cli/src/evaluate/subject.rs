//! The hook that is measured: alone in a table, asked as it would be, or played back.

use std::sync::Arc;
use std::time::Instant;

use hookgate::contract::{AsyncHandler, Handler, ReplyFuture, VerdictDecision};
use hookgate::{
    Engine, Failure, FailureClass, HandlerTable, HookSpec, Invocation, Mode, Outcome, Registry,
    Role,
};

use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::evaluate::case::Case;
use crate::evaluate::ledger::{self, Ledger, Watched};
use crate::evaluate::tape::{Entry, Tape};

/// One judgement.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// What came out: the verdict, or what the failure counts as.
    pub(crate) outcome: Outcome,
    /// What was said, for the record.
    pub(crate) entry: Entry,
}

/// A hook, alone in the table of an engine.
pub(crate) struct Subject {
    engine: Engine,
    hook: String,
    ledger: Arc<Ledger>,
    tape: Option<Arc<Tape>>,
}

impl Subject {
    /// The hook of a config, asked for real; or played back, where there is a tape.
    pub(crate) fn load(
        config: &ConfigArgs,
        hook: &str,
        tape: Option<Arc<Tape>>,
    ) -> Result<Self, Abort> {
        let ledger = Arc::new(Ledger::default());
        let registry = Arc::new(Registry::with_defaults());
        registry
            .register(hookgate::prompt::KIND, ledger::judges(Arc::clone(&ledger)))
            .map_err(|error| Abort::failure(error.to_string()))?;
        let table = config.load(&registry)?;
        let spec = find(&table, hook)?;
        let alone = spec.unordered().mode(Mode::Enforce).map_handler(|handler| {
            let handler: Arc<dyn AsyncHandler> = match &tape {
                Some(tape) => Arc::new(Player(Arc::clone(tape))),
                None => Arc::new(Watched::new(handler, Arc::clone(&ledger))),
            };
            Handler::Async(handler)
        });
        let alone = HandlerTable::builder()
            .limits(table.limits().clone())
            .insert(alone)
            .build()
            .map_err(|error| Abort::failure(format!("`{hook}` cannot stand alone: {error}")))?;
        let engine = Engine::with_registry(alone, registry);
        Ok(Self { engine, hook: hook.to_owned(), ledger, tape })
    }

    /// The hash of the table in which the hook stands alone.
    pub(crate) fn config_hash(&self) -> String {
        self.engine.table().config_hash().to_string()
    }

    /// Has a step judged.
    pub(crate) async fn judge(&self, case: &Case, repeat: u32) -> Result<Trial, Abort> {
        let step = name(case.key(), repeat);
        let mut incoming = case
            .incoming(step.clone())
            .ok_or_else(|| Abort::failure("the step cannot be read any more"))?;
        let started = Instant::now();
        let report = self.engine.evaluate(&mut incoming).await;
        let took = started.elapsed();
        let noted = self.ledger.take(&step);
        let vote = report.votes.iter().rev().find(|vote| vote.hook == self.hook);
        let recorded = self.tape.as_ref().and_then(|tape| tape.get(case.key(), repeat));
        if let Some(recorded) = recorded {
            if recorded.asked != vote.is_some() {
                return Err(Abort::failure(format!(
                    "the conditions of `{}` have changed since the record: {}",
                    self.hook,
                    case.shown()
                ))
                .help("make the record again with --record"));
            }
            return Ok(Trial { outcome: report.decision, entry: recorded.clone() });
        }
        let latency = vote.and_then(|vote| vote.duration_us);
        let mut entry = Entry {
            step: case.key().to_owned(),
            repeat,
            asked: vote.is_some(),
            decision: None,
            reason: None,
            failure: vote.and_then(|vote| vote.failure),
            stands: None,
            latency_us: latency.unwrap_or_else(|| took.as_micros().try_into().unwrap_or(u64::MAX)),
            usage: noted.usage,
        };
        match noted.reply {
            Some(Ok(verdict)) => {
                entry.decision = verdict.parts().and_then(|parts| parts.decision);
                entry.reason = verdict.into_parts().and_then(|parts| parts.reason);
                if entry.failure.is_some() {
                    // The engine has refused the verdict; what stood in it still counts.
                    entry.stands =
                        entry.decision.take().filter(|&word| word > VerdictDecision::Allow);
                }
            }
            Some(Err(failure)) => entry.stands = failure.salvaged,
            None => {}
        }
        Ok(Trial { outcome: report.decision, entry })
    }
}

fn find(table: &HandlerTable, hook: &str) -> Result<HookSpec, Abort> {
    let Some(spec) = table.specs().find(|spec| spec.id() == hook) else {
        let ids: Vec<_> = table.specs().map(|spec| spec.id().as_str()).collect();
        return Err(Abort::usage(format!("the config has no hook `{hook}`"))
            .help(format!("name one of {}", ids.join(", "))));
    };
    let mut places = table.listing().filter(|listed| listed.id() == hook);
    if spec.is_background() || places.any(|listed| listed.role() == Role::Observe) {
        return Err(Abort::usage(format!("`{hook}` only watches: it decides nothing"))
            .help("name a hook that decides: `hookgate list` shows the roles"));
    }
    Ok(spec.clone())
}

/// The name under which a step is judged.
fn name(key: &str, repeat: u32) -> String {
    format!("{key}-{repeat}")
}

/// Gives the replies of a record.
struct Player(Arc<Tape>);

impl AsyncHandler for Player {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let (key, repeat) = invocation.envelope.step_id().rsplit_once('-').unwrap_or_default();
            let entry = repeat.parse().ok().and_then(|repeat| self.0.get(key, repeat));
            entry.map_or_else(
                || Err(Failure::new(FailureClass::Unsure, "there is no record of this step")),
                Entry::reply,
            )
        })
    }
}
