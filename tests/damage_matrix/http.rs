//! Damage to the answers of services.

use crate::service::{Mode, Service};
use crate::{DECISIONS, Damaged, OUTPUT, text};

const JSON: &str = "content-type: application/json\r\n";

/// The hooks, and the services that they ask.
pub(crate) async fn all() -> (Vec<Damaged>, Vec<Service>) {
    let (mut all, mut services) = (Vec::new(), Vec::new());
    for decision in DECISIONS {
        let good = text::good(decision, false);
        let leak = |text: &str| -> &'static str { text.to_owned().leak() };
        let status = |status, headers, body: &str| Mode::Status(status, headers, body.to_owned());
        let mut modes: Vec<(&str, Mode)> = text::ALL
            .iter()
            .map(|(how, damage)| (*how, Mode::Bytes(JSON, damage(&good))))
            .collect();
        modes.extend([
            ("status 401", status(401, JSON, &good)),
            ("status 403", status(403, JSON, &good)),
            ("status 404", status(404, JSON, &good)),
            ("status 500", status(500, JSON, &good)),
            ("status 302", status(302, "location: /\r\n", &good)),
            ("text/plain", status(200, "content-type: text/plain\r\n", &good)),
            ("text/html", status(200, "content-type: text/html\r\n", &format!("<p>{good}</p>"))),
            ("encoding", status(200, "content-encoding: gzip\r\n", &good)),
            ("no request id", Mode::Bytes(JSON, good.clone().into_bytes())),
            ("too long", Mode::Verdict(format!("{good}{}", " ".repeat(OUTPUT)))),
            ("broken off", Mode::WrongLength(leak(&good))),
            ("broken off in a chunk", Mode::ChunkedCut(leak(&good))),
            ("closed early", Mode::Closed(leak(&good[..good.len() - 2]))),
            ("not in time", Mode::Stall(leak(&good))),
        ]);
        for (how, mode) in modes {
            let late = matches!(mode, Mode::Stall(_));
            let service = Service::start(mode).await;
            let (url, address) = (service.url(), service.address);
            let id = how == "no request id";
            all.push(Damaged {
                what: format!("http, {how},"),
                decision,
                handler: format!(
                    "http = {{ url = \"{url}\", allow_loopback = [\"{address}\"], request_id = {id} }}"
                ),
                late,
            });
            services.push(service);
        }
    }
    (all, services)
}
