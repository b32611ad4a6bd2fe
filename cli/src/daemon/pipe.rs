//! A named pipe of Windows between calls and a daemon. Every user can make a pipe with a name that is free, and nobody
//! tells whose program is at the other end: so each side shows that it has the secret, which lies in the folder that
//! only the user can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::mem;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::windows::named_pipe::{
    ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions,
};
use tokio::runtime::{Builder, Runtime};

use super::conversation::Secret;
use super::place::{LISTENS, Place};

/// The file of the secret, in the folder of the daemons.
const SECRET: &str = "secret";

/// `FILE_FLAG_DELETE_ON_CLOSE`: the system removes the file when its process ends, however it does.
const REMOVED_AT_THE_END: u32 = 0x0400_0000;

/// `ERROR_SHARING_VIOLATION`: another process has the file, and shares it with nobody.
const NOT_SHARED: i32 = 32;

/// `ERROR_PIPE_BUSY`: every instance of the pipe has its call, and the next one is about to be made.
const BUSY: i32 = 231;

/// After how much time it is looked again for an instance.
const AGAIN: Duration = Duration::from_millis(5);

/// One end of a pipe. Its runtime waits on behalf of the thread.
pub(crate) struct End<P> {
    runtime: Arc<Runtime>,
    pipe: P,
    limit: Duration,
}

/// A connection, on the side of the call.
pub(crate) type Stream = End<NamedPipeClient>;

/// A connection, on the side of the daemon.
pub(crate) type Served = End<NamedPipeServer>;

impl<P> End<P> {
    /// Says how long each read and each write may take from now on.
    #[allow(clippy::unnecessary_wraps, reason = "with sockets it may fail")]
    pub(super) const fn limit(&mut self, time: Duration) -> io::Result<()> {
        self.limit = time;
        Ok(())
    }
}

impl<P: AsyncRead + Unpin> Read for End<P> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Self { runtime, pipe, limit } = self;
        runtime.block_on(in_time(*limit, pipe.read(bytes)))
    }
}

impl<P: AsyncWrite + Unpin> Write for End<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Self { runtime, pipe, limit } = self;
        runtime.block_on(in_time(*limit, pipe.write(bytes)))
    }

    fn flush(&mut self) -> io::Result<()> {
        let Self { runtime, pipe, limit } = self;
        runtime.block_on(in_time(*limit, pipe.flush()))
    }
}

async fn in_time<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let late = |_| Err(io::ErrorKind::TimedOut.into());
    tokio::time::timeout(limit, work).await.unwrap_or_else(late)
}

/// Connects to whatever listens at a place. It learns who this is, and cannot act as this user.
pub(super) fn connect(place: &Place, _program: &Path, time: Duration) -> Option<Stream> {
    let runtime = Arc::new(Builder::new_current_thread().enable_all().build().ok()?);
    let end = Instant::now() + time;
    let _entered = runtime.enter();
    loop {
        // By default the other side may only identify the user of this one.
        match ClientOptions::new().open(name(place)) {
            Ok(pipe) => return Some(End { runtime: Arc::clone(&runtime), pipe, limit: time }),
            Err(error) if error.raw_os_error() == Some(BUSY) && Instant::now() < end => {
                thread::sleep(AGAIN);
            }
            Err(_) => return None,
        }
    }
}

/// Returns the secret; `None` if there is none that is whole, and so no daemon that has it.
pub(super) fn secret(place: &Place) -> Option<Option<Secret>> {
    read_secret(place).map(Some)
}

fn read_secret(place: &Place) -> Option<Secret> {
    fs::read(place.folder().join(SECRET)).ok().as_deref().and_then(Secret::of)
}

/// Returns the secret, which is drawn if there is none. Of two daemons that do this at once, one finds that of the other.
fn ensure_secret(place: &Place) -> io::Result<Secret> {
    let path = place.folder().join(SECRET);
    if !path.exists() {
        let mut file = tempfile::NamedTempFile::new_in(place.folder())?;
        file.write_all(Secret::draw()?.bytes())?;
        file.as_file().sync_all()?;
        if let Err(error) = file.persist_noclobber(&path)
            && !path.exists()
        {
            return Err(error.error);
        }
    }
    read_secret(place)
        .ok_or_else(|| io::Error::other(format!("`{}` is no secret: remove it", path.display())))
}

/// A pipe that is listened to.
pub(crate) struct Listener {
    runtime: Arc<Runtime>,
    /// The instance for the next call: there always is one, so that the name is never free.
    waiting: NamedPipeServer,
    secret: Secret,
    place: Place,
    _listens: File,
}

impl Listener {
    /// Listens at a place; `None` if another daemon does.
    ///
    /// # Errors
    /// The folder or the pipe cannot be made, or somebody else has made it.
    pub(crate) fn listen(place: Place) -> io::Result<Option<Self>> {
        place.prepare()?;
        let mut options = OpenOptions::new();
        options.create(true).write(true).share_mode(0).custom_flags(REMOVED_AT_THE_END);
        let listens = match options.open(place.file(LISTENS)) {
            Ok(file) => file,
            Err(error) if error.raw_os_error() == Some(NOT_SHARED) => return Ok(None),
            Err(error) => return Err(error),
        };
        let secret = ensure_secret(&place)?;
        let runtime = Arc::new(Builder::new_multi_thread().worker_threads(1).enable_all().build()?);
        let entered = runtime.enter();
        let waiting = instance(&place, true)?;
        drop(entered);
        Ok(Some(Self { runtime, waiting, secret, place, _listens: listens }))
    }

    /// Returns what a caller has to show that it has.
    pub(super) const fn secret(&self) -> Option<Secret> {
        Some(self.secret)
    }

    /// Returns the place.
    pub(super) const fn place(&self) -> &Place {
        &self.place
    }

    /// Waits for the next call.
    pub(super) fn accept(&mut self) -> io::Result<Served> {
        let connected = self.runtime.block_on(self.waiting.connect());
        let entered = self.runtime.enter();
        // Also after a call that has gone at once: its instance is of no use any more.
        let pipe = mem::replace(&mut self.waiting, instance(&self.place, false)?);
        drop(entered);
        connected?;
        Ok(End { runtime: Arc::clone(&self.runtime), pipe, limit: Duration::ZERO })
    }
}

/// Windows removes the pipe at the end of the process.
pub(crate) const fn close(_place: &Place) {}

/// Makes an instance of the pipe. Programs of this user, and those of the system, may write into it, as Windows has it
/// if nothing else is said.
fn instance(place: &Place, is_first: bool) -> io::Result<NamedPipeServer> {
    let mut options = ServerOptions::new();
    // The first one fails if somebody has made the pipe already; programs of other machines are not served.
    options.first_pipe_instance(is_first).reject_remote_clients(true).create(name(place))
}

fn name(place: &Place) -> String {
    format!(r"\\.\pipe\hookgate-{}", place.key())
}

/// Nothing tells which program is at the other end: it has to show that it has the secret.
pub(super) const fn is_program(_stream: &Served, _programs: &[&Path]) -> bool {
    true
}
