//! The daemon: waits for calls, judges their steps, ends when nobody calls any more.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
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
use crate::daemon::{self, Place, Request, Response};
use crate::programs::{self, OWN, SMALL};

/// How long a call may take to say what it wants.
const REQUEST: Duration = Duration::from_secs(2);

/// How much earlier than the call itself the daemon refuses, so that its refusal arrives.
const EARLIER: Duration = Duration::from_millis(50);

/// How long programs whose reply came too late may take to end.
const SETTLE: Duration = Duration::from_secs(2);

/// Serves calls until none has come for a time.
///
/// # Errors
/// The folder is not private, or the socket cannot be made there. That another daemon is there already is
/// no error.
pub(crate) fn serve(idle: Duration) -> io::Result<()> {
    shim::close_inherited();
    // The agent may end all that is in the group of the call.
    let _ = rustix::process::setsid();
    let place = Place::of(Path::new(OWN))
        .ok_or_else(|| io::Error::other("the environment or the folder cannot be read"))?;
    place.prepare()?;
    let lock = File::create(place.lock())?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    // One that was left by a daemon that was killed: who holds the lock is alone.
    let _ = fs::remove_file(place.socket());
    let listener = UnixListener::bind(place.socket())?;
    fs::set_permissions(place.socket(), Permissions::from_mode(0o600))?;
    let _ = command::become_subreaper();
    let tables = Arc::new(Tables::new()?);
    let active = Arc::new(AtomicUsize::new(0));
    let (calls, called) = mpsc::channel();
    let greeting = place.greeting();
    let counted = Arc::clone(&active);
    thread::Builder::new().name("accept".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            let call = Served::new(&counted, &calls);
            let (tables, greeting) = (Arc::clone(&tables), greeting.clone());
            // Without a thread the stream is closed, and the call judges by itself.
            let _ = thread::Builder::new().spawn(move || {
                let _call = call;
                answer(stream, &greeting, &tables)
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
    let _ = fs::remove_file(place.socket());
    let _ = command::settle(SETTLE);
    drop(lock);
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

fn answer(mut stream: UnixStream, greeting: &str, tables: &Arc<Tables>) -> io::Result<()> {
    if !daemon::runs_one_of(&stream, &[Path::new(OWN), &programs::beside(SMALL)?]) {
        return Ok(());
    }
    stream.write_all(greeting.as_bytes())?;
    stream.set_read_timeout(Some(REQUEST))?;
    let request: Request = daemon::read(&stream)?;
    let rest = Duration::from_millis(request.rest);
    let rest = rest.saturating_sub(EARLIER).max(rest / 2);
    let config = request.config.into_iter().map(Into::into).collect();
    let (agent, trusted) = (request.agent, request.trusted);
    let call = Call::of(agent, request.event, config, request.strict, rest, trusted);
    let Some(dialect) = find_dialect(call.agent()) else { return Ok(()) };
    let envelope = Box::new(io::Cursor::new(request.envelope.into_bytes()));
    let mut work = InProgress::start(call, dialect, envelope, Some(Arc::clone(tables)));
    let answer = work.answer();
    daemon::write(&stream, &Response::new(&answer, notes(&answer)))?;
    drop(stream);
    work.settle();
    Ok(())
}
