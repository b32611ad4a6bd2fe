//! A Unix socket between calls and a daemon: the system tells whose process is at the other end, and Linux also which
//! program it runs.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::conversation::Secret;
use super::place::{LISTENS, Place};

/// A connection.
#[derive(Debug)]
pub(crate) struct Stream(UnixStream);

/// A connection, on the side of the daemon.
pub(crate) type Served = Stream;

impl Stream {
    /// Says how long each read and each write may take from now on.
    pub(super) fn limit(&mut self, time: Duration) -> io::Result<()> {
        self.0.set_read_timeout(Some(time))?;
        self.0.set_write_timeout(Some(time))
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Connects to a daemon, which must run this program, as far as the system tells it.
pub(super) fn connect(place: &Place, program: &Path, _time: Duration) -> Option<Stream> {
    let stream = UnixStream::connect(path(place)).ok()?;
    runs_one_of(&stream, &[program]).then_some(Stream(stream))
}

/// Nothing is to be proven: the system says who is at the other end.
pub(super) const fn secret(_place: &Place) -> Option<Option<Secret>> {
    Some(None)
}

/// A socket that is listened to. Whoever has it holds the lock of its place.
pub(crate) struct Listener {
    listener: UnixListener,
    place: Place,
    _lock: File,
}

impl Listener {
    /// Listens at a place; `None` if another daemon does.
    ///
    /// # Errors
    /// The folder is not private, or the socket cannot be made there.
    pub(crate) fn listen(place: Place) -> io::Result<Option<Self>> {
        place.prepare()?;
        let lock = File::create(place.file("lock"))?;
        if lock.try_lock().is_err() {
            return Ok(None);
        }
        let socket = path(&place);
        // One that was left by a daemon that was killed: who holds the lock is alone.
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        Ok(Some(Self { listener, place, _lock: lock }))
    }

    /// Returns what a caller has to show: nothing.
    pub(super) const fn secret(&self) -> Option<Secret> {
        None
    }

    /// Returns the place.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Waits for the next call.
    pub(super) fn accept(&mut self) -> io::Result<Stream> {
        self.listener.accept().map(|(stream, _)| Stream(stream))
    }
}

/// Lets no call come to a place any more.
pub(crate) fn close(place: &Place) {
    let _ = fs::remove_file(path(place));
}

fn path(place: &Place) -> PathBuf {
    place.file(LISTENS)
}

/// Tells whether at the other end there is a process of this user that runs one of these programs.
pub(super) fn is_program(stream: &Stream, programs: &[&Path]) -> bool {
    runs_one_of(&stream.0, programs)
}

/// Tells whether at the other end there is a process of this user.
#[cfg(target_os = "linux")]
pub(crate) fn is_of_this_user(stream: &impl AsFd) -> bool {
    peer(stream).is_some()
}

/// Returns which process of this user there is at the other end; `None` if it is another user's.
#[cfg(target_os = "linux")]
fn peer(stream: &impl AsFd) -> Option<rustix::net::UCred> {
    let peer = rustix::net::sockopt::socket_peercred(stream).ok()?;
    (peer.uid == rustix::process::geteuid()).then_some(peer)
}

#[cfg(target_os = "linux")]
fn runs_one_of(stream: &UnixStream, programs: &[&Path]) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let Some(peer) = peer(stream) else { return false };
    let theirs = Path::new("/proc").join(peer.pid.as_raw_nonzero().to_string()).join("exe");
    let Ok(theirs) = theirs.metadata() else { return false };
    let is_same = |ours: fs::Metadata| (theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino());
    programs.iter().any(|program| program.metadata().is_ok_and(is_same))
}

/// Elsewhere the system tells the user alone. Which program a daemon runs, its greeting says.
#[cfg(not(target_os = "linux"))]
fn runs_one_of(stream: &UnixStream, _programs: &[&Path]) -> bool {
    user_of_peer(stream).is_ok_and(|user| user == rustix::process::geteuid().as_raw())
}

/// Only tokio asks the system without code that is `unsafe`, and wants a stream that does not block, on a runtime.
#[cfg(not(target_os = "linux"))]
fn user_of_peer(stream: &UnixStream) -> io::Result<u32> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _entered = runtime.enter();
    stream.set_nonblocking(true)?;
    let peer = tokio::net::UnixStream::from_std(stream.try_clone()?)?.peer_cred();
    stream.set_nonblocking(false)?;
    peer.map(|peer| peer.uid())
}
