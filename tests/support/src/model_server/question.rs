//! Requests as the server reads them: the message, the nonce and the rules.

use serde_json::{Map, Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// Reads the head of the next request, in lower case, and its body.
pub(super) async fn request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, Vec<u8>)> {
    loop {
        if let Some(end) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).to_lowercase();
            assert!(head.starts_with("post /v1/chat/completions http/1.1"), "{head}");
            let length = head.split("content-length: ").nth(1)?.lines().next()?.trim();
            let total = end + 4 + length.parse::<usize>().ok()?;
            if buffer.len() >= total {
                let body = buffer[end + 4..total].to_vec();
                buffer.drain(..total);
                return Some((head, body));
            }
        }
        let mut chunk = [0; 8192];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        buffer.extend_from_slice(&chunk[..count]);
    }
}

/// Returns the message of the user.
pub fn user(request: &Value) -> &str {
    request["messages"][1]["content"].as_str().unwrap()
}

/// Returns the nonce of a request.
pub fn nonce(request: &Value) -> &str {
    user(request).lines().next().unwrap().rsplit(' ').next().unwrap()
}

/// Returns the rules of a request with their names; a single rule has an empty name.
pub fn rules(request: &Value) -> Vec<(String, String)> {
    let system = request["messages"][0]["content"].as_str().unwrap();
    if let Some((_, rest)) = system.split_once("# The rule\n\n") {
        let rule = rest.split("\n\n# Your answer").next().unwrap();
        return vec![(String::new(), rule.to_owned())];
    }
    let all = system.split("# Your answer").next().unwrap();
    all.split("## Rule ")
        .skip(1)
        .map(|rule| rule.split_once("\n\n").unwrap())
        .map(|(name, rule)| (name.to_owned(), rule.trim().to_owned()))
        .collect()
}

/// Builds an answer in good form; `decide` gets the message of the user and a rule.
pub fn good(request: &Value, decide: impl Fn(&str, &str) -> String) -> Map<String, Value> {
    let user = user(request);
    let mut answer = Map::new();
    answer.insert("nonce".into(), nonce(request).into());
    for (name, rule) in rules(request) {
        let decision = decide(user, &rule);
        let one = json!({"decision": decision, "reason": format!("by the rule: {decision}")});
        match (name.as_str(), one) {
            ("", Value::Object(one)) => answer.extend(one),
            (name, one) => drop(answer.insert(name.to_owned(), one)),
        }
    }
    answer
}

/// Returns the last JSON object in a text that has a `decision`, as a lenient parser would.
pub fn last_json(text: &str) -> Option<String> {
    let starts: Vec<usize> = text.match_indices('{').map(|(at, _)| at).collect();
    starts.into_iter().rev().find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        value.get("decision").is_some().then(|| value.to_string())
    })
}
