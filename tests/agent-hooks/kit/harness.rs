//! The seam of the kit: it wires a vector into a host, and runs the agent.

use std::sync::Arc;

use agent_hooks::ctk::{Harness, IdentityPair, RunRecord, VectorSetup, async_trait};
use hookgate_agent_hooks::{
    Decide, Emission, EnforcementMode, Host, IdentityProvider, InterceptionRecord, Profile,
};
use serde_json::{Map, Value};

use crate::agent::{Agent, Ask};
use crate::bridge::{Approver, Scripted, identity, redacted};
use crate::surface::{Capabilities, IN_PROCESS, profile};

/// What a vector wants of a host.
pub(crate) struct Wanted {
    pub(crate) interceptors: Vec<(String, Scripted)>,
    pub(crate) profile: Profile,
    pub(crate) mode: EnforcementMode,
}

/// Makes what decides about steps, and says in which points the host is lenient.
#[async_trait]
pub(crate) trait Wiring: Send + Sync {
    /// Makes what decides.
    async fn decider(&self, wanted: &Wanted) -> Arc<dyn Decide>;

    /// What the host can do.
    fn capabilities(&self) -> Capabilities {
        IN_PROCESS
    }

    /// What makes the agent act although it must not.
    fn ignores_blocks(&self) -> bool {
        false
    }

    /// The approver of the vector, or one that is taken in its place.
    fn approver(&self, approver: Approver) -> Approver {
        approver
    }
}

/// Runs vectors against hosts of one wiring.
pub(crate) struct KitHarness<W> {
    wiring: W,
    session: usize,
    set_up: Option<VectorSetup>,
}

impl<W: Wiring> KitHarness<W> {
    pub(crate) const fn new(wiring: W) -> Self {
        Self { wiring, session: 0, set_up: None }
    }

    async fn host(&self, setup: VectorSetup) -> Asks {
        let named = setup.interceptors.into_iter().enumerate();
        let interceptors: Vec<_> = named
            .map(|(index, script)| (format!("interceptor-{index}"), Scripted(Arc::from(script))))
            .collect();
        let mode = match setup.mode {
            agent_hooks::EnforcementMode::Enforce => EnforcementMode::Enforce,
            agent_hooks::EnforcementMode::EvaluateOnly => EnforcementMode::EvaluateOnly,
        };
        let profile = profile(setup.composition).expect("other profiles are left out");
        let wanted = Wanted { interceptors, profile, mode };
        let decider = self.wiring.decider(&wanted).await;
        let names: Vec<&str> = wanted.interceptors.iter().map(|(name, _)| name.as_str()).collect();
        let identity: IdentityProvider = identity(setup.identity_provider);
        let mut host = Host::new(decider, &names).profile(profile).mode(mode).identity(identity);
        if let Some(resolver) = setup.resolver {
            host = host.resolver(self.wiring.approver(Approver(Arc::from(resolver))));
        }
        let paths = setup.redact_for_approval;
        if !paths.is_empty() {
            host = host.redactor(move |context| redacted(context, &paths));
        }
        Asks { host, ignores_blocks: self.wiring.ignores_blocks() }
    }
}

/// A host that the agent asks.
struct Asks {
    host: Host<Arc<dyn Decide>>,
    ignores_blocks: bool,
}

impl Ask for Asks {
    async fn ask(&self, context: Map<String, Value>) -> (Emission, InterceptionRecord) {
        let emission = self.host.emit(context).await;
        let record = emission.record().clone();
        (emission, record)
    }

    fn ignores_blocks(&self) -> bool {
        self.ignores_blocks
    }
}

#[async_trait]
impl<W: Wiring> Harness for KitHarness<W> {
    fn name(&self) -> &str {
        "hookgate"
    }

    fn capabilities(&self) -> Vec<String> {
        self.wiring.capabilities().iter().map(|&name| name.to_owned()).collect()
    }

    fn setup(&mut self, setup: VectorSetup) {
        self.session += 1;
        self.set_up = Some(setup);
    }

    async fn run(&mut self) -> RunRecord {
        let setup = self.set_up.take().expect("the kit sets up before it runs");
        let scenario = setup.scenario.clone();
        let asks = self.host(setup).await;
        let mut agent = Agent::new(&asks, &scenario, &format!("session-{}", self.session));
        let ended = agent.run().await;
        let identities = agent.records.iter().map(|record| IdentityPair {
            input_identity: record.input_identity.clone(),
            enforced_identity: record.enforced_identity.clone(),
        });
        RunRecord {
            outcome: if ended.is_ok() { "completed" } else { "blocked" }.to_owned(),
            final_output: ended.unwrap_or_default(),
            identities: identities.collect(),
            records: agent
                .records
                .iter()
                .map(|record| serde_json::to_value(record).unwrap())
                .collect(),
            tool_invocations: agent.tools_run,
            ..RunRecord::default()
        }
    }

    fn teardown(&mut self) {}
}
