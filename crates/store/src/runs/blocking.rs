//! Work that waits for the disk.

/// Has something done that waits for the disk, where it holds up nobody.
pub(super) async fn blocking<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(act).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is ending, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}
