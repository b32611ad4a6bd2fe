//! Hosts that are lenient in one point each: the kit must find every one of them.

use std::sync::Arc;

use agent_hooks::ctk::async_trait;
use agent_hooks::{ApprovalRequest, ApprovalResolution, ApprovalResolver};
use hookgate::layer::around;
use hookgate::table::Limits;
use hookgate::{Engine, HandlerTable, Report, Verdict};
use hookgate_agent_hooks::{Decide, Decided};
use hookgate_contract::StopAt;
use serde_json::{Map, Value};

use crate::bridge::Approver;
use crate::harness::{KitHarness, Wanted, Wiring};
use crate::in_process::{InProcess, interceptors};
use crate::surface::IN_PROCESS;
use crate::tally::Tally;

/// The point in which a host is lenient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lenient {
    /// The agent acts although it is denied.
    IgnoresBlocks,
    /// A failed interceptor counts as one that has no opinion.
    FailsOpen,
    /// An approver may decide about anything.
    EchoesForTheApprover,
    /// All interceptors are heard although an approval ends the calls, and the record says so.
    NeverStops,
    /// Only the interceptors up to the first deny are heard where all must be.
    StopsEarly,
}

const ALL: [Lenient; 5] = [
    Lenient::IgnoresBlocks,
    Lenient::FailsOpen,
    Lenient::EchoesForTheApprover,
    Lenient::NeverStops,
    Lenient::StopsEarly,
];

/// Runs the vectors against every lenient host, and returns whether each of them failed.
pub(crate) async fn all_fail(vectors: &[Value]) -> bool {
    let mut good = true;
    for lenient in ALL {
        let tally = Tally::of("lenient", IN_PROCESS, &mut KitHarness::new(lenient), vectors).await;
        let failed: Vec<_> = tally.failed.iter().map(|(id, _)| id.as_str()).collect();
        println!(
            "a host that is lenient ({lenient:?}) fails {}: {}",
            failed.len(),
            failed.join(" ")
        );
        good &= !failed.is_empty() && !tally.passed.is_empty();
    }
    good
}

#[async_trait]
impl Wiring for Lenient {
    async fn decider(&self, wanted: &Wanted) -> Arc<dyn Decide> {
        let stop_at = match self {
            Self::NeverStops => StopAt::Halt,
            Self::StopsEarly => StopAt::Ask,
            Self::FailsOpen => return fails_open(wanted),
            _ => return InProcess::strict().decider(wanted).await,
        };
        let mut table = HandlerTable::builder();
        table.limits(Limits::new().stop_at(stop_at));
        interceptors(wanted).install(&mut table);
        Arc::new(Silent(Engine::new(table.build().unwrap())))
    }

    fn ignores_blocks(&self) -> bool {
        *self == Self::IgnoresBlocks
    }

    fn approver(&self, approver: Approver) -> Approver {
        match self {
            Self::EchoesForTheApprover => Approver(Arc::new(Echoing(approver))),
            _ => approver,
        }
    }
}

/// The same table, but a failure of an interceptor counts as no opinion.
fn fails_open(wanted: &Wanted) -> Arc<dyn Decide> {
    let mut strict = HandlerTable::builder();
    interceptors(wanted).install(&mut strict);
    let strict = strict.build().unwrap();
    let mut table = HandlerTable::builder();
    table.limits(Limits::new().stop_at(wanted.profile.stop_at()));
    let open = around(|handler, call| {
        Box::pin(async move { handler.invoke(call).await.or(Ok(Verdict::none())) })
    });
    for spec in strict.specs().cloned() {
        table.insert(spec.map_handler(open.clone()));
    }
    Arc::new(Engine::new(table.build().unwrap()))
}

/// Does not say where the calls end in its table, which the host would refuse.
struct Silent(Engine);

impl Decide for Silent {
    fn decide(&self, envelope: Map<String, Value>) -> Decided<'_> {
        self.0.decide(envelope)
    }

    fn holds(&self, report: &Report) -> bool {
        self.0.holds(report)
    }
}

/// Says for the approver that the decision is about what was shown.
struct Echoing(Approver);

#[async_trait]
impl ApprovalResolver for Echoing {
    async fn resolve(&self, request: ApprovalRequest<'_>) -> ApprovalResolution {
        let shown = request.context_identity.clone();
        let resolution = self.0.0.resolve(request).await;
        ApprovalResolution { context_identity: shown, ..resolution }
    }
}
