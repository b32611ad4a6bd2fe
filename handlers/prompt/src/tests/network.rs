//! Promise: in clear text a question goes to no public address, whatever a name resolves to today.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate_contract::FailureClass;
use hookgate_net::{Lookup, LookupFuture};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::answer::completion::Completion;
use crate::answer::response_format::ResponseFormat;
use crate::client::chat::{Chat, ModelClient as _, Request};
use crate::client::error::CallError;
use crate::client::openai::OpenAi;
use crate::client::partial_reply::PartialReply;
use crate::network::Network;
use crate::settings::endpoint::Endpoint;
use crate::settings::sampling::Sampling;

/// Answers one list of addresses after the other.
struct Flipping(Vec<Vec<IpAddr>>, AtomicUsize);

impl Lookup for Flipping {
    fn lookup(&self, _: &str) -> LookupFuture {
        let turn = self.1.fetch_add(1, Ordering::SeqCst);
        let answer = self.0[turn % self.0.len()].clone();
        Box::pin(async move { Ok(answer) })
    }
}

fn flipping(answers: &[&[&str]]) -> OpenAi {
    let parsed = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
    let flipping = Flipping(answers.iter().map(parsed).collect(), AtomicUsize::new(0));
    OpenAi::with(&(Arc::new(flipping) as Arc<dyn Lookup>)).unwrap()
}

/// A server that gives every request the same answer; how many connections came.
async fn server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&accepted);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 65536]).await;
            let body = json!({"choices": [{"message": {"content": "fine"}}]}).to_string();
            let head = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n", body.len());
            let text = format!("{head}connection: close\r\n\r\n{body}");
            let _ = stream.write_all(text.as_bytes()).await;
        }
    });
    (port, accepted)
}

async fn complete(client: &OpenAi, network: Network, port: u16) -> Result<Completion, CallError> {
    complete_at(client, network, format!("http://flip.test:{port}/v1")).await
}

async fn complete_at(
    client: &OpenAi,
    network: Network,
    base_url: String,
) -> Result<Completion, CallError> {
    let endpoint = Endpoint { model: "m".into(), base_url, key_env: None, network };
    let sampling = Sampling { temperature: None, seed: None, max_tokens: 10 };
    let schema = json!({});
    let chat = Chat { system: "s", user: "u", schema: &schema, sample: 0, rules: 1 };
    let request = Request {
        endpoint: &endpoint,
        sampling: &sampling,
        refused: crate::parameter::Parameters::default(),
        format: ResponseFormat::Text,
        chat: &chat,
        max_reply: 10_000,
        partial: PartialReply::default(),
    };
    client.complete(request).await
}

#[tokio::test]
async fn a_name_that_flips_to_a_public_address_is_not_connected_to() {
    let (port, accepted) = server().await;
    let (near, far): (&[&str], &[&str]) = (&["127.0.0.1"], &["93.184.215.14"]);
    for network in [Network::Loopback, Network::Private] {
        let client = flipping(&[near, far]);
        for round in 0..4 {
            let reply = complete(&client, network, port).await;
            if round % 2 == 0 {
                assert_eq!(reply.unwrap().content, "fine");
            } else {
                let error = reply.unwrap_err();
                assert_eq!(error.class, FailureClass::Untrusted, "{}", error.detail);
                assert!(error.detail.contains("93.184.215.14"), "{}", error.detail);
                assert!(!error.may_pass() && !error.allows_fallback(), "it must be seen");
            }
        }
        // Of several addresses the near ones are enough.
        let both = flipping(&[&["93.184.215.14", "127.0.0.1"]]);
        assert!(complete(&both, network, port).await.is_ok());
    }
    assert_eq!(accepted.load(Ordering::SeqCst), 6);
    // What is opted in as private may not be, without it.
    let private = flipping(&[&["10.255.255.1"]]);
    let error = complete(&private, Network::Loopback, port).await.unwrap_err();
    assert_eq!(error.class, FailureClass::Untrusted);
}

/// The parser of the check and the one of the request are the same.
#[tokio::test]
async fn an_address_is_spelled_as_the_check_has_read_it() {
    let (port, accepted) = server().await;
    let client = flipping(&[&["127.0.0.1"]]);
    for (host, path) in [
        ("b\u{fc}cher.test", "/v1"),
        ("FLIP.test", "/v1"),
        ("flip.test", "/my models/v1"),
        ("0x7f.1", "/v1"),
        ("flip.test", "/a/../v1"),
    ] {
        let reply = complete_at(&client, Network::Loopback, format!("http://{host}:{port}{path}"));
        assert_eq!(reply.await.unwrap().content, "fine", "{host}{path}");
    }
    assert_eq!(accepted.load(Ordering::SeqCst), 5);
    let nowhere = complete_at(&client, Network::Loopback, "http://[::1/v1".into()).await;
    assert_eq!(nowhere.unwrap_err().class, FailureClass::Unreachable);
}
