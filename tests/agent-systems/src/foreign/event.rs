//! The run of all hooks of an event.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::config::{ForeignConfig, ForeignHook, Layer};
use super::hook::{HookRun, run_hook};
use super::host::Host;
use super::outcome::Outcome;
use super::services::Services;
use super::system::{HookSystem, Order, Selection};

/// The hooks of an agent, ready to run. Copies share everything.
#[derive(Debug, Clone)]
pub struct ForeignHooks {
    system: Arc<dyn HookSystem>,
    host: Arc<Host>,
    services: Services,
    config: Arc<ForeignConfig>,
    /// The places for hooks that nobody waits for.
    background: Arc<Semaphore>,
}

/// What the hooks of one event came to.
#[derive(Debug)]
pub struct EventRun {
    /// What the agent does.
    pub outcome: Outcome,
    /// What happened to each hook that was meant, in the order of the config.
    pub runs: Vec<HookRun>,
    /// Those that nobody waits for and that still run.
    background: JoinSet<(usize, HookRun)>,
    system: Arc<dyn HookSystem>,
    host: Arc<Host>,
}

impl ForeignHooks {
    /// Reads a config and prepares its hooks.
    #[must_use]
    pub fn load(
        system: Arc<dyn HookSystem>,
        layers: &[Layer],
        host: Host,
        services: Services,
    ) -> Self {
        let config = Arc::new(system.load(layers, &host));
        let places = system.most_in_background().unwrap_or(Semaphore::MAX_PERMITS);
        let background = Arc::new(Semaphore::new(places));
        Self { system, host: Arc::new(host), services, config, background }
    }

    /// Returns what the config says.
    #[must_use]
    pub fn config(&self) -> &ForeignConfig {
        &self.config
    }

    /// Returns the hooks that are meant for an envelope, each once, with what becomes of them.
    #[must_use]
    pub fn select(
        &self,
        event: &str,
        input: &Map<String, Value>,
    ) -> Vec<(&ForeignHook, Selection)> {
        let mut meant: Vec<(&ForeignHook, Selection)> = Vec::new();
        for hook in self.config.hooks.iter().filter(|hook| self.system.is_for(hook, event)) {
            let selection = self.system.selects(hook, input, &self.host);
            let is_known = || meant.iter().any(|(known, _)| self.system.is_same(known, hook));
            if selection != Selection::NotMeant && !is_known() {
                meant.push((hook, selection));
            }
        }
        meant
    }

    /// Runs the hooks of an event for an envelope. It waits for all but those that nobody waits for;
    /// [`EventRun::settle`] waits for them.
    ///
    /// # Cancel safety
    /// If the future is dropped, the programs that it runs are killed.
    pub async fn run(&self, event: &str, input: &Map<String, Value>) -> EventRun {
        let start = Instant::now();
        let meant = self.select(event, input);
        let (mut runs, mut parallel) = (Vec::new(), Vec::new());
        let mut background = JoinSet::new();
        let order = self.order(&meant);
        let mut carried = input.clone();
        for (index, (hook, selection)) in meant.into_iter().enumerate() {
            match selection {
                Selection::NotMeant => {}
                Selection::Skipped(why) => runs.push((index, HookRun::skipped(hook, why))),
                Selection::Runs if hook.background => {
                    let Ok(place) = Arc::clone(&self.background).try_acquire_owned() else {
                        let why = "too many hooks are at work that nobody waits for";
                        runs.push((index, HookRun::skipped(hook, why.to_owned())));
                        continue;
                    };
                    let (hooks, hook, input) = (self.clone(), hook.clone(), carried.clone());
                    background.spawn(async move {
                        let run = hooks.start(index, &hook, &input, start).await;
                        drop(place);
                        run
                    });
                }
                Selection::Runs if order == Order::Parallel => {
                    parallel.push(self.start(index, hook, input, start));
                }
                Selection::Runs => {
                    let run = self.start(index, hook, &carried, start).await;
                    self.system.carry(&mut carried, &run.1.result);
                    runs.push(run);
                }
            }
        }
        runs.extend(join_all(parallel).await);
        runs.sort_by_key(|(index, _)| *index);
        let runs: Vec<_> = runs.into_iter().map(|(_, run)| run).collect();
        let results = runs.iter().map(|run| run.result.clone()).collect();
        let mut outcome = self.system.combine(input, results, &self.host);
        for (name, value) in self.system.config_effect(&self.config, event, &self.host) {
            outcome.effect.entry(name).or_insert(value);
        }
        let (system, host) = (Arc::clone(&self.system), Arc::clone(&self.host));
        EventRun { outcome, runs, background, system, host }
    }

    fn order(&self, meant: &[(&ForeignHook, Selection)]) -> Order {
        let runs = meant.iter().filter(|(_, selection)| *selection == Selection::Runs);
        self.system.order(&runs.map(|(hook, _)| *hook).collect::<Vec<_>>())
    }

    async fn start(
        &self,
        index: usize,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        start: Instant,
    ) -> (usize, HookRun) {
        let mut run = run_hook(&*self.system, hook, input, &self.host, &self.services).await;
        run.result.finished = start.elapsed();
        (index, run)
    }
}

impl EventRun {
    /// Waits for the hooks that nobody waited for, and adds what they deliver later.
    pub async fn settle(&mut self) {
        let mut late = Vec::new();
        while let Some(run) = self.background.join_next().await {
            late.extend(run.ok());
        }
        if late.is_empty() {
            return;
        }
        late.sort_by_key(|(index, _)| *index);
        let results: Vec<_> = late.iter().map(|(_, run)| run.result.clone()).collect();
        self.outcome.effect.extend(self.system.deliver(&results, &self.host));
        self.runs.extend(late.into_iter().map(|(_, run)| run));
    }
}
