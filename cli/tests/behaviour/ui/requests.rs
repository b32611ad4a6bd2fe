//! Over plain HTTP: who is let in, what is said of everything, what the views have.

use hookgate_store::{ApprovalState, PersonAnswer, Persons};
use serde_json::json;

use super::site::{HOSTILE, Site, recorded};
use crate::approvals::park;
use crate::support::Folder;

#[test]
fn without_its_token_nothing_is_shown() {
    let folder = recorded();
    let site = Site::start(&folder);
    let host = site.host();
    let paths = [
        "/view/now",
        "/view/decisions",
        "/view/decision/4",
        "/view/questions",
        "/view/numbers",
        "/view/agents",
        "/live",
    ];
    let wrong = format!("Bearer {}x", site.token);
    let other = format!("Bearer {}", "A".repeat(site.token.len()));
    for path in paths {
        let request = format!("GET {path}");
        for headers in [
            &[("Host", host.as_str())][..],
            &[("Host", &host), ("Authorization", &wrong)],
            &[("Host", &host), ("Authorization", &other)],
            &[("Host", &host), ("Authorization", &site.token)],
        ] {
            let reply = site.send(&request, headers, "");
            assert_eq!(reply.status, 401, "{path} {headers:?}");
            assert!(!reply.body.contains("force"), "{}", reply.body);
        }
    }
    let answer =
        site.send("POST /answer/1", &[("Host", &host), ("Content-Type", "application/json")], "{}");
    assert_eq!(answer.status, 401);
    // A token in the URL does not count, since URLs are kept in logs.
    let in_url =
        site.send(&format!("GET /view/decisions?token={}", site.token), &[("Host", &host)], "");
    assert_eq!(in_url.status, 401);
    // The control.
    for path in ["/view/now", "/view/decisions", "/live"] {
        assert_eq!(site.get(path).status, 200, "{path}");
    }
    assert!(site.get("/view/decisions").body.contains("git push --force origin main"));
    // The page itself has no data, and no token.
    for path in ["/", "/style.css", "/script.js"] {
        let reply = site.send(&format!("GET {path}"), &[("Host", &host)], "");
        assert_eq!(reply.status, 200);
        assert!(!reply.body.contains(&site.token) && !reply.body.contains("git push"), "{path}");
    }
    assert!(site.interrupt(), "it ends well");
}

#[test]
fn other_hosts_and_origins_are_refused_with_the_token_too() {
    let folder = recorded();
    let site = Site::start(&folder);
    let (host, token) = (site.host(), format!("Bearer {}", site.token));
    let own = format!("http://{host}");
    let evil = format!("evil.example:{}", site.port);
    for headers in [
        &[("Host", evil.as_str())][..],
        &[("Host", "127.0.0.1")],
        &[("Host", &host), ("Origin", "http://evil.example")],
        &[("Host", &host), ("Origin", "null")],
        &[("Host", &evil), ("Origin", &format!("http://{evil}"))],
        &[("Host", &host), ("Sec-Fetch-Site", "cross-site")],
    ] {
        let mut all = headers.to_vec();
        all.push(("Authorization", &token));
        for path in ["/view/decisions", "/"] {
            let reply = site.send(&format!("GET {path}"), &all, "");
            assert_eq!(reply.status, 403, "{path} {headers:?}");
            assert!(!reply.body.contains("git push") && !reply.body.contains("script"));
        }
    }
    let control = [("Host", host.as_str()), ("Origin", &own), ("Authorization", &token)];
    assert_eq!(site.send("GET /view/decisions", &control, "").status, 200);
}

#[test]
fn everything_that_is_sent_forbids_what_a_page_does_not_need() {
    let folder = recorded();
    let site = Site::start(&folder);
    let refused = site.send("GET /view/now", &[("Host", "evil.example")], "");
    let unknown = site.get("/there-is-no-such-page");
    assert_eq!((refused.status, unknown.status), (403, 404));
    for reply in [site.get("/"), site.get("/script.js"), site.get("/view/now"), refused, unknown] {
        for line in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
             img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(reply.head.lines().any(|head| head == line), "{line} in {}", reply.head);
        }
        assert!(!reply.head.contains("access-control"), "{}", reply.head);
    }
    let page = site.get("/").body;
    assert_eq!(page.matches("<script").count(), 1);
    for inline in ["<style", "style=", "onclick", "http:", "https:"] {
        assert!(!page.contains(inline), "{inline}");
    }
}

#[test]
fn hostile_text_of_a_tool_is_text_on_each_view() {
    let folder = recorded();
    let site = Site::start(&folder);
    let list = site.get("/view/decisions?text=hacked");
    let seq: u64 =
        list.body.split("#/decision/").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    let decision = site.get(&format!("/view/decision/{seq}"));
    // What somebody types into a filter is shown again.
    let typed = "/view/decisions?text=%22%3E%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E";
    for reply in [
        list,
        decision,
        site.get(typed),
        site.get("/view/decision/%3Cscript%3E"),
        site.get("/view/numbers"),
    ] {
        let body = reply.body;
        for markup in ["<script", "<img", "href=\"javascript", "\u{202e}", "\u{2066}", ">49<"] {
            assert!(!body.contains(markup), "{markup} in {body}");
        }
    }
    let decision = site.get(&format!("/view/decision/{seq}")).body;
    assert!(decision.contains("&lt;script&gt;window.hacked"), "the control: {decision}");
    assert!(HOSTILE.contains("<script>") && decision.contains("{{ 7*7 }}"));
}

#[test]
fn decisions_are_filtered_as_by_the_verb_log() {
    let folder = recorded();
    let site = Site::start(&folder);
    for (query, flags) in [
        ("decision=deny,halt", &["--decision", "deny,halt"][..]),
        ("hook=dry-run", &["--hook", "dry-run"]),
        ("tool=Write&session=docs", &["--tool", "Write", "--session", "docs"]),
        ("event=post_llm_response", &["--event", "post_llm_response"]),
        ("text=curl&since=1h", &["--text", "curl", "--since", "1h"]),
        ("until=1h", &["--until", "1h"]),
        ("", &[]),
    ] {
        let logged =
            folder.run(&[&["log", "--json", "--journal", "journal.db"], flags].concat(), "");
        let mut logged: Vec<u64> =
            logged.lines().iter().map(|line| line["seq"].as_u64().unwrap()).collect();
        logged.reverse();
        let body = site.get(&format!("/view/decisions?{query}")).body;
        let shown: Vec<u64> = body
            .split("#/decision/")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(shown, logged, "{query}");
    }
    let wrong = site.get("/view/decisions?decision=perhaps");
    assert_eq!(wrong.status, 409);
    assert!(wrong.body.contains("an outcome is allow"), "{}", wrong.body);
    assert_eq!(site.get("/view/decisions?colour=red").status, 409);
}

#[test]
fn a_decision_says_why_what_it_would_do_and_what_was_changed() {
    let folder = recorded();
    let site = Site::start(&folder);
    let body_of = |hook: &str| {
        let list = site.get(&format!("/view/decisions?hook={hook}")).body;
        let seq = list.split("#/decision/").nth(1).unwrap().split('"').next().unwrap();
        site.get(&format!("/view/decision/{seq}")).body
    };
    let (removed, added) = ("<span class=\"removed\">- ", "<span class=\"added\">+ ");
    let body = body_of("safer-clean");
    for part in
        [removed, "rm -rf build", added, "rm -r build", "What it would do", ">runs<", ">deletes<"]
    {
        assert!(body.contains(part), "{part} in {body}");
    }
    // By default a journal keeps a step only as it became.
    let body = body_of("dry-run");
    assert!(body.contains("only as it became") && body.contains("make --dry-run deploy"), "{body}");
    assert!(!body.contains(removed) && body.contains(added), "{body}");
    let numbers = site.get("/view/numbers").body;
    for part in [
        "no-network",
        "deny instead of allow",
        "licence-check",
        ">exit<",
        "small-model",
        "11131 input_tokens",
        "0.0042",
        "<svg",
    ] {
        assert!(numbers.contains(part), "{part} in {numbers}");
    }
    let now = site.get("/view/now").body;
    for part in [
        "5 hooks in force",
        "confirm-publish",
        "shadow",
        "made by another config",
        "hooks.toml",
        "sha256:",
    ] {
        assert!(now.contains(part), "{part} in {now}");
    }
}

#[test]
fn a_config_with_a_mistake_and_a_journal_that_is_not_there_are_said() {
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"a\"\nevent = \"pre_tool_use\"\nbuiltin = { name = \"dney\" }\n",
    );
    let site = Site::start(&folder);
    let now = site.get("/view/now").body;
    assert!(now.contains("1 mistake") && now.contains("hooks.toml:4:"), "{now}");
    assert!(now.contains("there is no journal"), "{now}");
    let decisions = site.get("/view/decisions");
    assert!(decisions.status == 409 && decisions.body.contains("there is no journal"));
    assert!(site.get("/view/questions").body.contains("no question waits"));
}

/// What the form of a question says that the person has seen.
fn seen(body: &str) -> String {
    body.split("data-seen=\"").nth(1).unwrap().split('"').next().unwrap().replace("&quot;", "\"")
}

#[test]
fn an_answer_is_that_of_the_user_once_and_to_what_was_seen() {
    let folder = recorded();
    let (approvals, id) = park(&folder, HOSTILE, &Persons::need(2));
    let site = Site::start(&folder);
    let path = format!("/answer/{id}");
    let shown = site.get(&format!("/view/question/{id}")).body;
    assert!(
        shown.contains("&lt;script&gt;")
            && !shown.contains("<script")
            && shown.contains("hidden character")
    );
    let first = seen(&shown);

    for (body, why) in [
        (json!({"says": "perhaps", "seen": first}), "cannot be read"),
        (json!({"says": "approve"}), "cannot be read"),
        (json!({"says": "approve", "seen": first, "as": "eve"}), "cannot be read"),
        (
            json!({"says": "approve_changed", "seen": first, "edit": "[]"}),
            "an edit is a JSON object",
        ),
        (json!({"says": "approve", "seen": "1 "}), "somebody else has answered"),
    ] {
        let refused = site.post(&path, &body);
        assert!(refused.status == 409 && refused.body.contains(why), "{body}: {}", refused.body);
    }
    let (host, token) = (site.host(), format!("Bearer {}", site.token));
    let form = [("Host", host.as_str()), ("Authorization", &token), ("Content-Type", "text/plain")];
    let as_form = site.send(
        &format!("POST {path}"),
        &form,
        &json!({"says": "approve", "seen": first}).to_string(),
    );
    assert_eq!(as_form.status, 415);
    assert_eq!(approvals.approval(&id).unwrap().answers.len(), 0, "nothing was answered so far");

    // Somebody else is quicker, and changes the step: the person has not seen that.
    let edit = json!({"tool_input": {"command": "make -n deploy"}});
    let ben = PersonAnswer::approve_with("ben", edit.as_object().unwrap().clone());
    approvals.answer(&id, &ben).unwrap();
    let late = site.post(&path, &json!({"says": "approve", "seen": first}));
    assert!(
        late.status == 409 && late.body.contains("somebody else has answered"),
        "{}",
        late.body
    );

    let now = site.get(&format!("/view/question/{id}")).body;
    assert!(
        now.contains("as it was changed by who agrees") && now.contains("make -n deploy"),
        "{now}"
    );
    let agreed = site.post(&path, &json!({"says": "approve", "note": "go", "seen": seen(&now)}));
    assert_eq!(agreed.status, 200, "{}", agreed.body);
    let approval = approvals.approval(&id).unwrap();
    assert_eq!((approval.state, approval.answers.len()), (ApprovalState::Approved, 2));
    let ada = approval.answers.iter().find(|answer| answer.person == "ada").unwrap();
    assert_eq!((ada.approves, ada.note.as_deref()), (true, Some("go")));
    assert!(
        agreed.body.contains("is approved") && !agreed.body.contains("<form"),
        "{}",
        agreed.body
    );

    let over = site.post(&path, &json!({"says": "reject", "seen": ""}));
    assert_eq!(over.status, 409, "{}", over.body);
    let taken = approvals.take(&id).unwrap().unwrap();
    assert_eq!(taken.edit.unwrap()["tool_input"]["command"], "make -n deploy");
}
