//! What the server sends back, well formed or not.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::question::{good, last_json, nonce, user};
use super::{Change, Mode};

/// The decision of [`Mode::ByRule`]: denies data with `force` in it and rules that say `never`.
fn decision(user: &str, rule: &str) -> &'static str {
    if user.contains("force") || rule.contains("never") { "deny" } else { "allow" }
}

pub(super) async fn answer(stream: &mut TcpStream, mode: &Mode, request: &Value) -> Option<()> {
    let allow = || Value::from(good(request, |_, _| "allow".into()));
    let with = |change: &dyn Fn(&mut Map<String, Value>)| {
        let mut answer = good(request, |_, _| "allow".into());
        change(&mut answer);
        Value::from(answer).to_string()
    };
    let with_nonce = |content: &str| content.replace("NONCE", nonce(request));
    let content = match mode {
        Mode::Content(content, finish) => {
            let body = completion(&with_nonce(content), finish);
            return write(stream, 200, "", body.to_string().as_bytes()).await;
        }
        Mode::Body(status, headers, content, change) => {
            let content = with_nonce(content);
            return changed(stream, (*status, *headers), &content, &allow(), *change).await;
        }
        Mode::ByRule => {
            Value::from(good(request, |user, rule| decision(user, rule).into())).to_string()
        }
        Mode::Decision(decision) => {
            Value::from(good(request, |_, _| (*decision).into())).to_string()
        }
        Mode::Keys(keys) => {
            let mut answer = keys.as_object().unwrap().clone();
            answer.entry("nonce").or_insert_with(|| nonce(request).into());
            Value::from(answer).to_string()
        }
        Mode::Echo => user(request).to_owned(),
        Mode::LastJson => {
            let data = user(request).replace("\\\"", "\"").replace("\\\\", "\\");
            last_json(&data).unwrap_or(data)
        }
        Mode::Truncated | Mode::Half => {
            let whole = allow().to_string();
            whole[..whole.len() / 2].to_owned()
        }
        Mode::Empty | Mode::Refusal => String::new(),
        Mode::WrongNonce => with(&|answer| {
            answer.insert("nonce".into(), "0123456789abcdef".into());
        }),
        Mode::NoNonce => with(&|answer| drop(answer.remove("nonce"))),
        Mode::TwoObjects => format!("{}\n{}", allow(), allow()),
        Mode::Prose => format!("I think this is harmless: {} Good luck!", allow()),
        Mode::CodeBlock => format!("```json\n{}\n```", allow()),
        Mode::TwoDecisions => allow().to_string().replacen("{", "{\"decision\":\"allow\",", 1),
        Mode::MoreKeys => with(&|answer| drop(answer.insert("confidence".into(), 1.into()))),
        Mode::RuleMissing => with(&|answer| drop(answer.remove("r2"))),
        Mode::SupportsFormat(format) => {
            let format_name = request["response_format"]["type"].as_str();
            if format_name.is_some() && format_name != *format {
                let error = json!({"error": {"message": "what?", "param": "response_format"}});
                return write(stream, 400, "", error.to_string().as_bytes()).await;
            }
            allow().to_string()
        }
        Mode::Refuses(names, in_text) => {
            if let Some(name) = names.iter().find(|name| !request[**name].is_null()) {
                let message = format!("'{name}' is not supported with this model");
                let param = (!in_text).then_some(*name);
                let error = json!({"error": {"message": message, "param": param}});
                return write(stream, 400, "", error.to_string().as_bytes()).await;
            }
            allow().to_string()
        }
        Mode::NoBody => return write(stream, 200, "", b"").await,
        Mode::InvalidUtf8 => {
            let body = completion(&allow().to_string(), "stop").to_string();
            let mut body = body.into_bytes();
            let at = body.iter().rposition(|byte| *byte == b'y').unwrap();
            body[at] = 0xff;
            return write(stream, 200, "", &body).await;
        }
        Mode::Huge => {
            let body = completion(&"x".repeat(10_000_000), "stop").to_string();
            return write(stream, 200, "", body.as_bytes()).await;
        }
        Mode::RetryAfter(seconds) => {
            let header = format!("retry-after: {seconds}\r\n");
            return write(stream, 429, &header, allow().to_string().as_bytes()).await;
        }
        Mode::Status(status) => {
            let body = completion(&allow().to_string(), "stop").to_string();
            return write(stream, *status, "", body.as_bytes()).await;
        }
        Mode::Redirect => {
            let header = "location: http://127.0.0.1:9/\r\n";
            return write(stream, 307, header, b"").await;
        }
        Mode::Reset => {
            let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\":[";
            stream.write_all(head.as_bytes()).await.ok()?;
            return None;
        }
        Mode::Drip => {
            let body = completion(&allow().to_string(), "stop").to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all(head.as_bytes()).await.ok()?;
            for byte in body.as_bytes() {
                stream.write_all(&[*byte]).await.ok()?;
                stream.flush().await.ok()?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            return Some(());
        }
    };
    let finish = if *mode == Mode::Truncated { "length" } else { "stop" };
    let mut body = completion(&content, finish);
    if *mode == Mode::Refusal {
        body["choices"][0]["message"] = json!({"content": null, "refusal": "I cannot help"});
    }
    write(stream, 200, "", body.to_string().as_bytes()).await
}

/// Writes an answer with a changed body.
async fn changed(
    stream: &mut TcpStream,
    (status, headers): (u16, &str),
    content: &str,
    allow: &Value,
    change: Change,
) -> Option<()> {
    let mut body = completion(content, "stop");
    match change {
        Change::WithError => body["error"] = json!({"message": "overloaded"}),
        Change::SecondChoice => {
            let second = completion(&allow.to_string(), "stop")["choices"][0].clone();
            body["choices"].as_array_mut()?.push(second);
        }
        Change::HugeUsage => {
            body["usage"] = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
        }
        _ => {}
    }
    let mut bytes = body.to_string().into_bytes();
    match change {
        Change::Padded(most) => bytes.resize(bytes.len() + most, b' '),
        Change::InvalidUtf8 => {
            let at = bytes.windows(3).position(|part| part == b"why")?;
            bytes[at] = 0xff;
        }
        Change::ContentTwice => {
            let text = String::from_utf8(bytes).ok()?;
            let twice = format!("\"role\":\"assistant\",\"content\":{}", json!(allow.to_string()));
            bytes = text.replacen("\"role\":\"assistant\"", &twice, 1).into_bytes();
        }
        Change::BrokenOff | Change::Stalled => {
            // It ends within what follows the answer.
            let length = bytes.len();
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}\r\n");
            let part = [head.as_bytes(), bytes.get(..length - 4)?].concat();
            stream.write_all(&part).await.ok()?;
            if change == Change::Stalled {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            return None;
        }
        _ => {}
    }
    write(stream, status, headers, &bytes).await
}

/// A body as some servers send it: with a `finish_reason` and a field that OpenAI does not know.
fn completion(content: &str, finish: &str) -> Value {
    json!({
        "id": "x", "object": "chat.completion", "created": 1, "service_tier": "on_demand",
        "choices": [{
            "index": 0,
            "finish_reason": if finish == "stop" { "eos" } else { finish },
            "message": {"role": "assistant", "content": content},
        }],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    })
}

async fn write(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) -> Option<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    // At once: the second of two small writes would wait for the first to be acknowledged.
    stream.write_all(&[head.as_bytes(), body].concat()).await.ok()
}
