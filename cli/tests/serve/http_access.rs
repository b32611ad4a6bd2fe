//! Promise: nothing is answered over HTTP without the token, nor to a page in a browser, nor from elsewhere without TLS.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::http_client::{Http, listening, refused};
use crate::support::{Folder, HOOKS};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The routes, with what is asked there.
const ROUTES: [(&str, &str); 8] = [
    (
        "POST /rpc",
        r#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":{"name":"t","version":"1"},"events":["pre_tool_use"],"enforces":["deny"]}}"#,
    ),
    ("DELETE /rpc", ""),
    ("GET /events", ""),
    ("GET /health", ""),
    ("GET /metrics", ""),
    (
        "POST /v1/data/hookgate",
        r#"{"input":{"hook_event_name":"pre_tool_use","session_id":"s","tool_name":"Bash","tool_input":{}}}"#,
    ),
    ("GET /nowhere", ""),
    ("OPTIONS /rpc", ""),
];

fn token_file(folder: &Folder, text: &str, mode: u32) -> PathBuf {
    let path = folder.path("token");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn without_the_token_nothing_is_answered_and_nobody_is_counted() {
    let folder = Folder::with_hooks(HOOKS);
    token_file(&folder, &format!("{TOKEN}\n"), 0o600);
    let (_server, mut http) = listening(&folder, &["--token-file", "token", "--opa"]);
    http.token = TOKEN.to_owned();
    let counted = || {
        let text = http.get("/metrics").body;
        let is_counter = |line: &&str| !line.starts_with('#') && !line.contains("in_flight");
        text.lines().filter(is_counter).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = counted();
    let host = format!("host: {}", http.address);
    let wrong = [
        vec![],
        vec!["authorization:"],
        vec!["authorization: Bearer"],
        vec!["authorization: Bearer "],
        vec!["authorization: Bearer 0123456789abcdef0123456789abcdeF"],
        vec!["authorization: Bearer 0123456789abcdef0123456789abcde"],
        vec!["authorization: Bearer 0123456789abcdef0123456789abcdef0"],
        vec!["authorization: Bearer x0123456789abcdef0123456789abcdef"],
        vec!["authorization: Basic 0123456789abcdef0123456789abcdef"],
        vec!["authorization: 0123456789abcdef0123456789abcdef"],
        vec!["authorization: Bearer 0123456789abcdef0123456789abcdef, Bearer x"],
        // In two headers, one of them right.
        vec![
            "authorization: Bearer 0123456789abcdef0123456789abcdef",
            "authorization: Bearer 0123456789abcdef0123456789abcdef",
        ],
        vec!["x-authorization: Bearer 0123456789abcdef0123456789abcdef"],
        vec!["proxy-authorization: Bearer 0123456789abcdef0123456789abcdef"],
        vec!["token: 0123456789abcdef0123456789abcdef"],
        vec!["cookie: token=0123456789abcdef0123456789abcdef"],
    ];
    for (route, body) in ROUTES {
        for headers in &wrong {
            for query in [
                "",
                "?token=0123456789abcdef0123456789abcdef",
                "?access_token=0123456789abcdef0123456789abcdef",
            ] {
                let line = format!("{route}{query} HTTP/1.1");
                let mut lines = vec![line.as_str(), &host, "connection: close"];
                lines.extend(headers);
                let reply = http.raw(&lines, body.as_bytes()).unwrap();
                assert_eq!((reply.status, reply.body.as_str()), (401, ""), "{route} {headers:?}");
                let mut names: Vec<&str> =
                    reply.headers.iter().map(|(name, _)| name.as_str()).collect();
                names.sort_unstable();
                assert_eq!(names, ["connection", "content-length", "date", "www-authenticate"]);
            }
        }
    }
    assert_eq!(counted(), before, "nobody has called");
    let right = ["authorization: bearer 0123456789abcdef0123456789abcdef", "connection: close"];
    let lines = ["GET /health HTTP/1.1", &host, right[0], right[1]];
    assert_eq!(http.raw(&lines, b"").unwrap().status, 200);
}

#[test]
fn a_token_that_others_could_read_is_not_taken_and_none_is_printed() {
    let folder = Folder::with_hooks(HOOKS);
    let refused = |args: &[&str]| {
        let all: Vec<&str> = ["-c", "hooks.toml"].iter().chain(args).copied().collect();
        let (code, said) = crate::http_client::refused(&folder, &all);
        assert!(!said.contains(TOKEN), "{said}");
        (code, said)
    };
    let http = ["--http", "127.0.0.1:0", "--token-file", "token"];
    for (text, mode, why) in [
        (TOKEN, 0o644, "chmod 600"),
        (TOKEN, 0o640, "chmod 600"),
        ("short", 0o600, "holds no token"),
        ("", 0o600, "holds no token"),
    ] {
        token_file(&folder, text, mode);
        let (code, said) = refused(&http);
        assert!(code == Some(1) && said.contains(why), "{said}");
    }
    fs::remove_file(folder.path("token")).unwrap();
    assert!(refused(&http).1.contains("cannot be read"));
    // It is on no command line, and without HTTP there is none.
    for (args, why) in [
        (&["--http", "127.0.0.1:0", "--token", TOKEN][..], ""),
        (&["--stdio", "--token-file", "token"][..], "cannot be used with"),
        (&["--stdio", "--opa"][..], "cannot be used with"),
        (&["--stdio", "--http", "127.0.0.1:0"][..], "cannot be used with"),
        (&["--http", "127.0.0.1:0", "--accept-unenforced", "x"][..], "--opa"),
        (&["--http", "127.0.0.1:0", "--tls-cert", "c.pem"][..], "--tls-key"),
    ] {
        let all: Vec<&str> = ["-c", "hooks.toml"].iter().chain(args).copied().collect();
        let (code, said) = crate::http_client::refused(&folder, &all);
        assert!(code == Some(64) && said.contains(why), "{args:?}: {said}");
    }
    // One that was drawn is written where only this user can read it.
    let (server, http) = listening(&folder, &[]);
    let file = fs::read_dir(folder.path("run/hookgate")).unwrap().next().unwrap().unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file.path()), mode(folder.path("run/hookgate"))), (0o600, 0o700));
    assert!(http.token.len() == 43 && http.get("/health").status == 200);
    assert!(server.stderr.try_iter().all(|line| !line.contains(&http.token)));
}

#[test]
fn a_page_in_a_browser_is_not_answered_whatever_its_name_leads_to() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--opa"]);
    let token = format!("authorization: Bearer {}", http.token);
    let ask = |route: &str, headers: &[&str], body: &str| {
        let line = format!("{route} HTTP/1.1");
        let mut lines = vec![line.as_str(), &token, "connection: close"];
        lines.extend(headers);
        http.raw(&lines, body.as_bytes()).unwrap().status
    };
    for (route, body) in ROUTES {
        for host in [
            "host: evil.example",
            "host: evil.example:8181",
            "host: localhost.evil.example",
            "host: 10.0.0.1",
            "host: 127.0.0.1.evil.example",
            "host: localhost@evil.example",
            "host: evil@localhost",
            "host: 0.0.0.0",
            "host: ",
            "x-host: localhost",
        ] {
            assert_eq!(ask(route, &[host], body), 421, "{route} {host}");
        }
        assert_eq!(ask(route, &["host: localhost", "host: localhost"], body), 421, "{route}");
        for origin in
            ["origin: http://evil.example", "origin: null", "origin: http://127.0.0.1", "origin:"]
        {
            assert_eq!(ask(route, &["host: localhost", origin], body), 403, "{route} {origin}");
        }
    }
    for host in [
        "host: localhost",
        "host: LOCALHOST:1",
        "host: 127.0.0.1",
        "host: 127.8.9.1:8181",
        "host: [::1]:8181",
    ] {
        assert_eq!(ask("GET /health", &[host], ""), 200, "{host}");
    }
    // The target says where it is for as well.
    assert_eq!(ask("GET http://evil.example/health", &["host: localhost"], ""), 421);
    assert_eq!(ask("GET http://localhost/health", &["host: localhost"], ""), 200);
}

#[test]
fn other_machines_are_answered_by_tls_alone() {
    let folder = Folder::with_hooks(HOOKS);
    for address in ["0.0.0.0:0", "[::]:0"] {
        let (code, said) = refused(&folder, &["-c", "hooks.toml", "--http", address]);
        assert!(code == Some(1) && said.contains("--tls-cert"), "{said}");
    }
    let made = rcgen::generate_simple_self_signed(["hooks.example".to_owned()]).unwrap();
    folder.write("cert.pem", &made.cert.pem());
    folder.write("key.pem", &made.signing_key.serialize_pem());
    folder.write("other.pem", &rcgen::KeyPair::generate().unwrap().serialize_pem());
    let wrong = [
        "-c",
        "hooks.toml",
        "--http",
        "127.0.0.1:0",
        "--tls-cert",
        "cert.pem",
        "--tls-key",
        "other.pem",
    ];
    assert_eq!(refused(&folder, &wrong).0, Some(1));
    let (_server, http) = listening(&folder, &["--tls-cert", "cert.pem", "--tls-key", "key.pem"]);
    assert!(
        http.raw(&["GET /health HTTP/1.1", "host: localhost"], b"").is_none(),
        "it is not answered unencrypted"
    );
    for (host, status) in [
        ("hooks.example", 200),
        ("HOOKS.example:8443", 200),
        ("localhost", 200),
        ("evil.example", 421),
        ("sub.hooks.example", 421),
    ] {
        assert_eq!(by_tls(&http, &made.cert, host), status, "{host}");
    }
}

/// Asks by TLS, and returns the status.
fn by_tls(http: &Http, certificate: &rcgen::Certificate, host: &str) -> u16 {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::pki_types::ServerName;

    let verifier = hookgate_net::authorities_verifier(certificate.pem().as_bytes()).unwrap();
    let config = hookgate_net::client_config(verifier, None).unwrap();
    let connector = TlsConnector::from(std::sync::Arc::new(config));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(&http.address).await.unwrap();
        let name = ServerName::try_from("hooks.example").unwrap();
        let mut stream = connector.connect(name, stream).await.unwrap();
        let request = format!("GET /health HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n", http.token);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply).await;
        String::from_utf8(reply).unwrap().split(' ').nth(1).unwrap().parse().unwrap()
    })
}
