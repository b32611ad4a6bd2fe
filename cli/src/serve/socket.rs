//! All programs of one user, on a Unix socket in a folder that nobody else can enter.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::OFlags;
use tokio::net::UnixListener;
use tokio::task::JoinSet;

use super::connection;
use super::own_file::OwnFile;
use super::service::Service;
use crate::daemon::{is_of_this_user, run_folder};
use crate::private_folder;

/// The socket in the folder of this user's programs, if none is named.
const NAME: &str = "serve.sock";

/// A link is not followed to what it leads to.
const NO_LINK: i32 = OFlags::NOFOLLOW.bits().cast_signed();

/// A socket that is listened to. It is removed when this is dropped, then the lock is let go.
pub(crate) struct Listening {
    listener: UnixListener,
    file: OwnFile,
    /// Held as long as the socket is this server's.
    _lock: File,
}

/// Listens on a socket: the one that is named, or that of the user.
///
/// # Errors
/// Its folder is open to others, another server listens there, or it cannot be made.
pub(crate) fn listen(named: Option<&Path>) -> io::Result<Listening> {
    let path = match named {
        Some(path) => std::path::absolute(path)?,
        None => run_folder().map(|folder| folder.join(NAME)).ok_or_else(|| {
            io::Error::other(
                "neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME is set: name the socket",
            )
        })?,
    };
    let folder = path.parent().ok_or_else(|| io::Error::other("the socket has no folder"))?;
    private_folder::prepare_closed(folder)?;
    let mut lock = path.clone().into_os_string();
    lock.push(".lock");
    // It is empty; whatever else has this name is left alone.
    let lock = File::options().create(true).append(true).custom_flags(NO_LINK).open(lock)?;
    if lock.try_lock().is_err() {
        let message = format!("another server listens on `{}`", path.display());
        return Err(io::Error::new(io::ErrorKind::AddrInUse, message));
    }
    // One that was left by a server that was killed: who holds the lock is alone.
    match fs::symlink_metadata(&path) {
        Ok(found) if found.file_type().is_socket() => fs::remove_file(&path)?,
        Ok(_) => {
            let message =
                format!("`{}` is there and no socket: name another place", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let listener = UnixListener::bind(&path)?;
    fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    Ok(Listening { listener, file: OwnFile::new(path)?, _lock: lock })
}

impl Listening {
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Serves whoever connects, until the server ends and all are answered.
    pub(crate) async fn serve(self, service: Arc<Service>) {
        let mut ended = service.ended();
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                biased;
                _ = ended.wait_for(|ended| *ended) => break,
                accepted = self.listener.accept() => accepted,
            };
            while connections.try_join_next().is_some() {}
            let stream = match accepted {
                Ok((stream, _)) => stream,
                // Too many open files: some are closed before the next look.
                Err(_) => {
                    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                    continue;
                }
            };
            // The folder keeps others out; this one holds even if somebody has opened it meanwhile.
            if !is_of_this_user(&stream) {
                continue;
            }
            let (reader, writer) = stream.into_split();
            connections.spawn(connection::serve(Arc::clone(&service), reader, writer));
        }
        while connections.join_next().await.is_some() {}
    }
}
