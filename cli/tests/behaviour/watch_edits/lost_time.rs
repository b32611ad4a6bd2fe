//! Time that the machine did not have for the test.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::TICK;

/// The time for which the machine had no thread for one that wanted to go on.
#[derive(Clone)]
pub(super) struct LostTime(Arc<Mutex<Vec<(Instant, Duration)>>>);

impl LostTime {
    /// Begins to look. The thread ends with the test.
    pub(super) fn start() -> Self {
        let lost = Self(Arc::default());
        let noted = Arc::downgrade(&lost.0);
        thread::spawn(move || {
            loop {
                let began = Instant::now();
                thread::sleep(TICK);
                let late = began.elapsed().saturating_sub(TICK);
                let Some(noted) = noted.upgrade() else { return };
                if late > TICK {
                    noted.lock().unwrap().push((Instant::now(), late));
                }
            }
        });
        lost
    }

    pub(super) fn between(&self, from: Instant, to: Instant) -> Duration {
        let noted = self.0.lock().unwrap();
        let within = noted.iter().filter(|(at, _)| *at >= from && *at <= to);
        within.map(|(_, late)| *late).sum()
    }
}
