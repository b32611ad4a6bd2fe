//! Promise: whatever HTTP client a host has, hookgate changes nothing in it, and the hooks work beside it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::net::SocketAddr;
use std::path::Path;

use hookgate::config::Loader;
use hookgate::{Engine, Gate, HookEngine, Registry, StepContext, ToolUse};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that answers each request with a deny.
async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 65536]).await;
                let body = r#"{"decision":"deny","reason":"from the service"}"#;
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
                let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    address
}

fn load(hooks: &str) -> Result<Engine, String> {
    let registry = Registry::from_iter([
        hookgate::http::kind(),
        hookgate::mcp::kind(),
        hookgate::prompt::kind(),
    ]);
    let loaded = Loader::new(&registry).parse("hooks.toml", hooks, Path::new("/"));
    Ok(Engine::new(loaded.map_err(|errors| errors.to_string())?.table))
}

/// A hook of each kind that talks to a network: the first is asked, the others only have their TLS set up.
fn hooks(service: SocketAddr) -> String {
    format!(
        "[[hook]]\nid = 'plain'\nevent = 'pre_tool_use'\n\
         http = {{ url = 'http://{service}/', allow_loopback = ['{service}'] }}\n\
         [[hook]]\nid = 'tls'\nevent = 'stop'\nhttp = {{ url = 'https://policy.example.com/' }}\n\
         [[hook]]\nid = 'mcp'\nevent = 'stop'\n\
         mcp = {{ server = {{ url = 'https://mcp.example.com/' }}, tool = 't' }}\n\
         [[hook]]\nid = 'judge'\nevent = 'stop'\n\
         prompt = {{ model = 'm', prompt = 'Is it well?' }}\n"
    )
}

/// What the host does itself.
async fn own_request(service: SocketAddr) {
    #[cfg(feature = "reqwest-plain")]
    {
        let client = reqwest::Client::new();
        let answer = client.get(format!("http://{service}/")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }
    #[cfg(any(feature = "rustls-ring", feature = "rustls-aws-lc"))]
    {
        // It chooses the provider that the program has, and panics if there are two.
        let builder = rustls::ClientConfig::builder();
        let config = builder.with_root_certificates(rustls::RootCertStore::empty());
        assert!(!config.with_no_client_auth().alpn_protocols.contains(&Vec::new()));
        let _ = service;
    }
}

#[tokio::test]
async fn the_hosts_own_requests_go_on_beside_hooks_that_work() {
    let service = serve().await;
    #[cfg(feature = "rustls-aws-lc")]
    {
        // Without a provider the hook is refused, and told; a hook that needs none is not.
        let told = load(&hooks(service)).unwrap_err();
        assert!(told.contains("this program has no TLS: turn on the feature `tls-ring`"), "{told}");
        let plain = hooks(service);
        assert!(load(plain.split("[[hook]]\nid = 'tls'").next().unwrap()).is_ok());
    }
    own_request(service).await;
    let engine = load(&hooks(service)).unwrap();
    let step = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
    match engine.dispatch(step, &StepContext::new("s")).await {
        Gate::Denied(denied) => assert!(denied.feedback().contains("from the service")),
        other => panic!("{other:?}"),
    }
    own_request(service).await;
}
