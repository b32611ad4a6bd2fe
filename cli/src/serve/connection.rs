//! A connection: lines are read, requests are begun in their order, and each is answered when it is done.
//!
//! Hooks that answer at once are answered here, before the next line is read. Those that wait go on in a task of their own,
//! of which there are only so many: then nothing more is read, until one is answered.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::caller::Caller;
use super::error::{CallError, Code};
use super::frame::{self, Id, Request};
use super::lines::{Line, Lines};
use super::method;
use super::outbox::Outbox;
use super::service::{Service, Working};

/// Serves a caller until it has said its last and is answered, it is gone, or the server ends. Then its sessions end.
pub(super) async fn serve(
    service: Arc<Service>,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) {
    let outbox = Arc::new(Outbox::new(writer));
    let Some(place) = service.place() else {
        let message = "the server has as many connections as it takes";
        let line = frame::refusal(&Id::None, &CallError::new(Code::TooMany, message));
        // It may be gone already.
        let _ = outbox.send(&line).await;
        return;
    };
    let caller = Caller::new(place.id, Arc::clone(&service), Some(Arc::clone(&outbox)));
    let caller = Arc::new(caller);
    let mut at_work = JoinSet::new();
    // A caller that reads nothing is not waited for longer than that.
    let answered = tokio::select! {
        answered = read(&caller, &outbox, Lines::new(reader), &mut at_work) => answered,
        () = after_the_end(&service) => Err(io::ErrorKind::TimedOut.into()),
    };
    if answered.is_ok() {
        let all = async { while at_work.join_next().await.is_some() {} };
        // What is at work after that is stopped, and answered by nobody: the host takes that for a deny.
        let _ = timeout(service.limits.close, all).await;
    }
    at_work.shutdown().await;
    service.sessions.end_all_of(caller.id).await;
    drop(place);
}

/// Waits until the server has begun to end, and then as long as what has begun may take.
async fn after_the_end(service: &Service) {
    let mut ended = service.ended();
    if ended.wait_for(|ended| *ended).await.is_ok() {
        tokio::time::sleep(service.limits.close).await;
    }
}

/// Reads requests and begins them.
///
/// # Errors
/// The caller is gone.
async fn read(
    caller: &Arc<Caller>,
    outbox: &Arc<Outbox>,
    mut lines: Lines<impl AsyncRead + Unpin>,
    at_work: &mut JoinSet<()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(caller.service.limits.in_flight));
    let mut ended = caller.service.ended();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok();
            Ok::<_, io::Error>(place.zip(lines.next().await?))
        };
        let next = tokio::select! {
            biased;
            _ = ended.wait_for(|ended| *ended) => return Ok(()),
            next = next => next?,
        };
        let Some((place, line)) = next else { return Ok(()) };
        let request = match line {
            Line::Whole(bytes) => parse(caller, bytes),
            Line::TooLong => Err((Id::None, too_long())),
            Line::CutOff => Err((Id::None, cut_off())),
        };
        match request {
            Ok(request) => begin(caller, outbox, request, (place, at_work)).await?,
            Err((id, error)) => outbox.send(&method::refuse(caller, &id, &error).line).await?,
        }
        // Those that are done are let go of.
        while at_work.try_join_next().is_some() {}
    }
}

fn parse(caller: &Caller, bytes: Vec<u8>) -> Result<Request, (Id, CallError)> {
    Request::parse(&bytes, caller.service.integers())
}

/// Begins a request: it is answered now, or by a task.
async fn begin(
    caller: &Arc<Caller>,
    outbox: &Arc<Outbox>,
    request: Request,
    (place, at_work): (OwnedSemaphorePermit, &mut JoinSet<()>),
) -> io::Result<()> {
    let working = Working::new(&caller.service);
    let mut answer = method::answer(Arc::clone(caller), request);
    // Begun here and now, steps of a session begin in the order in which they were sent.
    let first = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
    if let Poll::Ready(answer) = first {
        return outbox.send(&answer.line).await;
    }
    let outbox = Arc::clone(outbox);
    at_work.spawn(async move {
        let answer = answer.await;
        // The reading ends as well if it is gone.
        let _ = outbox.send(&answer.line).await;
        drop((working, place));
    });
    Ok(())
}

fn too_long() -> CallError {
    CallError::new(Code::TooLarge, "the line is longer than 16 MiB")
}

fn cut_off() -> CallError {
    CallError::new(Code::ParseError, "the stream ended within a line")
}
