//! The daemon: waits for calls, judges their steps, ends when nobody calls any more.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use hookgate::command::{self, shim};

use super::super::answer::notes;
use super::super::call::Call;
use super::super::tables::Tables;
use super::super::{InProgress, find_dialect};
use crate::daemon::{self, Caller, Listener, Place, Response};
use crate::programs::{self, SMALL};

/// How long a call may take to say what it wants.
const REQUEST: Duration = Duration::from_secs(2);

/// How much earlier than the call itself the daemon refuses, so that its refusal arrives.
const EARLIER: Duration = Duration::from_millis(50);

/// After how much time the system is asked again for a call, if it could not give one: too many files may be open.
const AGAIN: Duration = Duration::from_millis(20);

/// How long programs whose reply came too late may take to end.
const SETTLE: Duration = Duration::from_secs(2);

/// Serves calls until none has come for a time.
///
/// # Errors
/// The folder is not private, or nobody can be listened to there. That another daemon is there already is
/// no error.
pub(crate) fn serve(idle: Duration) -> io::Result<()> {
    shim::close_inherited();
    // The agent may end all that is in the group of the call.
    #[cfg(unix)]
    let _ = rustix::process::setsid();
    let place = Place::of(&programs::own()?)
        .ok_or_else(|| io::Error::other("the environment or the folder cannot be read"))?;
    let Some(mut listener) = Listener::listen(place.clone())? else { return Ok(()) };
    let _ = command::become_subreaper();
    let tables = Arc::new(Tables::new()?);
    let active = Arc::new(AtomicUsize::new(0));
    let (calls, called) = mpsc::channel();
    let counted = Arc::clone(&active);
    thread::Builder::new().name("accept".to_owned()).spawn(move || {
        loop {
            let Ok(caller) = listener.next() else {
                thread::sleep(AGAIN);
                continue;
            };
            let call = Served::new(&counted, &calls);
            let tables = Arc::clone(&tables);
            // Without a thread the connection is closed, and the call judges by itself.
            let _ = thread::Builder::new().spawn(move || {
                let _call = call;
                answer(caller, &tables)
            });
        }
    })?;
    loop {
        match called.recv_timeout(idle) {
            Ok(()) => {}
            // ORDERING: a call that has begun meanwhile gets no answer, and judges by itself.
            Err(RecvTimeoutError::Timeout) if active.load(Ordering::Acquire) > 0 => {}
            Err(_) => break,
        }
    }
    daemon::close(&place);
    let _ = command::settle(SETTLE);
    Ok(())
}

/// A call that is being served; the time without a call begins when it is dropped.
struct Served {
    active: Arc<AtomicUsize>,
    calls: Sender<()>,
}

impl Served {
    fn new(active: &Arc<AtomicUsize>, calls: &Sender<()>) -> Self {
        // ORDERING: read when the daemon is about to end.
        active.fetch_add(1, Ordering::AcqRel);
        let call = Self { active: Arc::clone(active), calls: calls.clone() };
        call.tell();
        call
    }

    fn tell(&self) {
        // Nobody listens any more if the daemon ends.
        let _ = self.calls.send(());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // ORDERING: as above.
        self.active.fetch_sub(1, Ordering::AcqRel);
        self.tell();
    }
}

fn answer(caller: Caller, tables: &Arc<Tables>) -> io::Result<()> {
    let (request, asking) =
        caller.hear(&[&programs::own()?, &programs::beside(SMALL)?], REQUEST)?;
    let rest = Duration::from_millis(request.rest);
    let rest = rest.saturating_sub(EARLIER).max(rest / 2);
    let config = request.config.into_iter().map(Into::into).collect();
    let (agent, trusted) = (request.agent, request.trusted);
    let call = Call::of(agent, request.event, config, request.strict, rest, trusted);
    let Some(dialect) = find_dialect(call.agent()) else { return Ok(()) };
    let envelope = Box::new(io::Cursor::new(request.envelope.into_bytes()));
    let mut work = InProgress::start(call, dialect, envelope, Some(Arc::clone(tables)));
    let answer = work.answer();
    asking.reply(&Response::new(&answer, notes(&answer)))?;
    work.settle();
    Ok(())
}
