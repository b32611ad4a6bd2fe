//! Configs that are followed while a run goes on: which they are, what is told of them, and SIGHUP. How they are
//! followed is `hookgate::watch`.

mod layers;
mod reports;

use std::sync::Arc;
use std::time::Duration;

use hookgate::watch::Watching;
use hookgate::{Engine, Registry, watch};
use hookgate_store::Journal;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::interrupt::Hangups;
use crate::overrides::OverrideArgs;
use crate::terminal::progress::Progress;
use layers::Layers;
use reports::Reports;

/// How long a reload that goes on is waited for at the end.
const LAST: Duration = Duration::from_secs(1);

/// A watch over configs.
pub(crate) struct Watch {
    layers: Layers,
    hangups: Hangups,
}

/// A watch that goes on beside the run.
pub(crate) struct Follower {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Follower {
    /// Ends the watch. A warning says if the files on disk never came into force.
    pub(crate) async fn end(self) {
        drop(self.end);
        let _ = self.task.await;
    }
}

impl Watch {
    /// Finds the configs, and listens to SIGHUP. This comes before they are loaded for the first time.
    pub(crate) fn start(
        config: &ConfigArgs,
        overrides: &OverrideArgs,
        registry: Arc<Registry>,
    ) -> Self {
        Self { layers: Layers::find(config, overrides, registry), hangups: Hangups::listen() }
    }

    /// Follows the config while the run goes on. What comes into force is noted in the journal, if there is one.
    ///
    /// # Errors
    /// It cannot be followed.
    pub(crate) fn follow(
        self,
        engine: Arc<Engine>,
        progress: Progress,
        journal: Option<Journal>,
    ) -> Result<Follower, Abort> {
        let watching = watch::follow(Arc::clone(&engine), self.layers.clone())
            .map_err(|error| Abort::failure(error.to_string()))?;
        let reports = Reports::new(engine, self.layers, progress, journal);
        let (end, ended) = oneshot::channel();
        let task = tokio::spawn(report(watching, self.hangups, ended, reports));
        Ok(Follower { end, task })
    }
}

/// Tells what comes of the watch, and passes on what a signal asks for.
async fn report(
    watching: Watching,
    mut hangups: Hangups,
    mut ended: oneshot::Receiver<()>,
    mut reports: Reports,
) {
    let mut events = watching.events();
    loop {
        tokio::select! {
            _ = &mut ended => break,
            () = hangups.requested() => watching.reload_now(),
            event = events.next() => match event {
                Some(event) => reports.tell(event).await,
                None => break,
            },
        }
    }
    // It ends as well if the file system does not answer.
    let _ = timeout(LAST, watching.stop()).await;
    while let Some(event) = events.try_next() {
        reports.tell(event).await;
    }
    reports.warn_at_end();
}
