//! The interceptors of a vector as a service on the loopback: a context in the body of a request, a
//! verdict in the body of the answer.

use std::net::SocketAddr;
use std::sync::Arc;

use hookgate_agent_hooks::{AgentContext, Interceptor};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::bridge::Scripted;

/// A running service; it stops when this is dropped. The path of a request is the number of the
/// interceptor.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    task: AbortHandle,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Service {
    pub(crate) async fn start(interceptors: impl Iterator<Item = Scripted>) -> Self {
        let interceptors: Arc<[Scripted]> = interceptors.collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&interceptors)));
            }
        });
        Self { address, task: task.abort_handle() }
    }
}

/// Answers the requests of one connection.
async fn serve(stream: TcpStream, interceptors: Arc<[Scripted]>) -> Option<()> {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    loop {
        let (index, length) = read_head(&mut reading).await?;
        let mut body = vec![0; length];
        reading.read_exact(&mut body).await.ok()?;
        let context = AgentContext::from_value(serde_json::from_slice(&body).ok()?).ok()?;
        let verdict = interceptors.get(index)?.intercept(&context).await.ok()?.to_string();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
        let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{verdict}", verdict.len());
        writing.write_all(answer.as_bytes()).await.ok()?;
    }
}

/// Returns the interceptor that a request is for, and the length of its body.
async fn read_head(reading: &mut (impl AsyncBufReadExt + Unpin)) -> Option<(usize, usize)> {
    let mut line = String::new();
    reading.read_line(&mut line).await.ok()?;
    let index = line.strip_prefix("POST /")?.split(' ').next()?.parse().ok()?;
    let mut length = 0;
    loop {
        line.clear();
        reading.read_line(&mut line).await.ok()?;
        let header = line.trim_end().to_ascii_lowercase();
        if header.is_empty() {
            return Some((index, length));
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
}
