//! Damage to the answers of model servers, seen by judges.

use crate::model_server::{Change, Mode, Server};
use crate::{DECISIONS, Damaged, OUTPUT, text};

/// The hooks, and the servers of the models that they ask.
pub(crate) async fn all() -> (Vec<Damaged>, Vec<Server>) {
    let (mut all, mut servers) = (Vec::new(), Vec::new());
    for decision in DECISIONS {
        let good = text::good(decision, true);
        let body = |status, headers, change| Mode::Body(status, headers, good.clone(), change);
        let content = |text: &str, finish| Mode::Content(text.to_owned(), finish);
        // Bytes that are not text are damage to the body, see below.
        let texts = text::ALL.iter().map(|(how, damage)| (*how, damage(&good)));
        let mut modes: Vec<(&str, Mode)> = texts
            .filter_map(|(how, bytes)| {
                Some((how, content(&String::from_utf8(bytes).ok()?, "stop")))
            })
            .collect();
        modes.extend([
            ("a wrong nonce", content(&good.replace("NONCE", "0123456789abcdef"), "stop")),
            ("no nonce", content(&text::good(decision, false), "stop")),
            ("cut by length", content(&good[..good.len() - 3], "length")),
            ("ended by length", content(&good, "length")),
            ("ended by max_tokens", content(&good, "max_tokens")),
            ("filtered", content(&good, "content_filter")),
            ("ended by an error", content(&good, "error")),
            (
                "two answers",
                content(&format!("{good}\n{}", good.replace(decision.name(), "allow")), "stop"),
            ),
            ("status 401", body(401, "", Change::None)),
            ("status 403", body(403, "", Change::None)),
            ("status 404", body(404, "", Change::None)),
            ("status 500", body(500, "", Change::None)),
            ("encoding", body(200, "content-encoding: gzip\r\n", Change::None)),
            ("too long", body(200, "", Change::Padded(OUTPUT))),
            ("broken off", body(200, "", Change::BrokenOff)),
            ("not in time", body(200, "", Change::Stalled)),
            ("a body in invalid utf-8", body(200, "", Change::InvalidUtf8)),
            ("content twice", body(200, "", Change::ContentTwice)),
            ("an error beside it", body(200, "", Change::WithError)),
            ("a second choice", body(200, "", Change::SecondChoice)),
        ]);
        for (how, mode) in modes {
            let late = matches!(mode, Mode::Body(_, _, _, Change::Stalled));
            let server = Server::start(mode).await;
            all.push(Damaged {
                what: format!("prompt, {how},"),
                decision,
                handler: format!(
                    "prompt = {{ model = \"m\", base_url = \"{}\", prompt = \"No.\", backoff = \"1ms\", \
                     cache = false }}",
                    server.base_url
                ),
                late,
            });
            servers.push(server);
        }
    }
    (all, servers)
}
