//! `hookgate serve`: judges the steps of hosts in any language.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate::Engine;
use hookgate::conditions::MemoryHistory;
use hookgate_store::JournalSettings;

use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::exit_code::Exit;
use crate::interrupt::interrupted_while_watching;
use crate::journal;
use crate::kinds::registry_with;
use crate::overrides::OverrideArgs;
use crate::proving::Rounds;
use crate::runs::{self, Doing};
use crate::seconds::seconds;
use crate::serve::{
    HttpError, HttpListening, HttpSettings, Limits, Listening, Service, listen, listen_http, stdio,
};
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use crate::watch::Watch;

/// Judge the steps of a runtime in any language, over stdio, a Unix socket or HTTP
///
/// It speaks JSON-RPC 2.0, one object a line: `hello` first, with what the host can enforce, then `judge` for each step.
/// docs/serve.md shows a session; `hookgate schema serve` prints the JSON Schema. A host whose guards would not be
/// enforced is refused, and whatever is wrong with a request is an error, never an allow.
///
/// With --stdio the host has started this program, and it ends when stdin does. With --socket it listens in a folder that
/// only this user can enter, and serves all programs of the user. With --http it answers whoever has the token, on a loopback
/// address or with TLS; the token is read from a file, or drawn and written to one. The config is followed: a change is in force at once, a
/// broken one is reported and the last good one stays. On SIGTERM what has begun is answered, and the engine closed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate serve --stdio -c hooks.toml
  hookgate serve --socket                           serve.sock in the folder hookgate of XDG_RUNTIME_DIR
  hookgate serve --socket /run/user/1000/agents/hooks.sock --journal decisions.db
  hookgate serve --http 127.0.0.1:8181 --token-file token
  hookgate serve --http 127.0.0.1:8181 --opa        for gateways that ask OPA, at /v1/data/hookgate")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    transport: Transport,
    #[command(flatten)]
    http: HttpArgs,
    /// Let callers put other hooks in force (`replace`): they are then the operator
    #[arg(long)]
    allow_replace: bool,
    /// Record every decision in this journal, which is made if it is not there; `hookgate log` reads it
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// How many connections there may be at the same time
    #[arg(long, value_name = "N", default_value = "128")]
    callers: usize,
    /// How many sessions there may be at the same time
    #[arg(long, value_name = "N", default_value = "10000")]
    sessions: usize,
    /// How many requests of one connection may be at work; when there are as many, no more of it is read
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u16).range(1..))]
    in_flight: u16,
    /// How long one judgement may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    judgement: Duration,
    /// How long the end waits for what has begun
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    close: Duration,
}

/// How many sessions are remembered at least.
const REMEMBERED: usize = 1024;

/// How many bytes of marks and counts are kept for each.
const ROOM: usize = 4096;

/// Whom it serves.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Transport {
    /// The host that has started this program, on stdin and stdout
    #[arg(long)]
    stdio: bool,
    /// All programs of this user, on this Unix socket; its folder must be closed to others (mode 0700), and is made
    #[arg(long, value_name = "PATH", num_args = 0..=1)]
    socket: Option<Option<PathBuf>>,
    /// Programs that have the token, on this address: 127.0.0.1:8181; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
}

/// How it is reached by HTTP.
#[derive(Debug, clap::Args)]
struct HttpArgs {
    /// The certificate to show (PEM, with those that connect it with an authority); without one only a loopback address is
    /// taken
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with_all = ["stdio", "socket"])]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with_all = ["stdio", "socket"])]
    tls_key: Option<PathBuf>,
    /// Read the token from this file, which only this user can read (mode 0600); by default it is drawn and written to one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["stdio", "socket"])]
    token_file: Option<PathBuf>,
    /// After how long without a request a caller over HTTP ends, with its sessions
    #[arg(long, value_name = "SECONDS", default_value = "900", value_parser = seconds, conflicts_with_all = ["stdio", "socket"])]
    idle: Duration,
    /// Answer as OPA does at /v1/data/hookgate, for gateways that send calls of tools and can do nothing but deny
    #[arg(long, conflicts_with_all = ["stdio", "socket"])]
    opa: bool,
    /// Do not refuse to start for this guard, although who asks as OPA is asked would not enforce it
    #[arg(long, value_name = "ID", requires = "opa")]
    accept_unenforced: Vec<String>,
}

impl HttpArgs {
    fn settings(self, address: SocketAddr) -> HttpSettings {
        let Self { tls_cert, tls_key, token_file, idle, opa, accept_unenforced } = self;
        let opa = opa.then(|| accept_unenforced.into_iter().collect());
        HttpSettings { address, tls: tls_cert.zip(tls_key), token_file, idle, opa }
    }
}

/// What is listened to.
enum Listener {
    Stdio,
    Socket(Listening),
    Http(HttpListening),
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, the socket cannot be made, or the journal cannot be written.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    // As many as there may be, and as many again that have ended: what is marked or counted is not forgotten for one that
    // lives. Each has as much room as usual.
    let remembered = args.sessions.saturating_mul(2).max(REMEMBERED);
    let history = MemoryHistory::new().limits(remembered, remembered.saturating_mul(ROOM));
    let registry = Arc::new(registry_with(Arc::new(history), None));
    let watch = Watch::start(&args.config, &OverrideArgs::default(), Arc::clone(&registry));
    let (configs, loaded) = args.config.load_in_part(&registry)?;
    let files = configs.all_files(&loaded);
    let scope = runs::scope(configs.files(), args.config.strict);
    let store = match &args.journal {
        Some(file) => runs::open(file, &loaded.table, scope)?,
        None => None,
    };
    let journal =
        args.journal.map(|file| journal::open(JournalSettings::new(file).waiting())).transpose()?;
    let engine = match &store {
        Some(store) => Engine::new(loaded.table).with_jobs(store.clone()),
        None => Engine::new(loaded.table),
    };
    let engine = Arc::new(match &journal {
        None => engine,
        Some(journal) => {
            journal::recorded(engine, journal, journal::texts(files.iter().map(PathBuf::as_path)))
        }
    });
    let doing = store.map(|store| Doing::begin(store, Arc::clone(&engine)));
    let progress = Progress::over_bytes(None, false);
    let rounds = Rounds {
        engine: Arc::clone(&engine),
        progress: progress.clone(),
        journal: journal.clone(),
        files,
    };
    let limits = Limits {
        callers: args.callers,
        sessions: args.sessions,
        in_flight: args.in_flight.into(),
        judgement: args.judgement,
        close: args.close,
    };
    let service = Service::new(Arc::clone(&engine), registry, limits, args.allow_replace);
    // Before anything is judged: a caller that comes at once finds the socket.
    let listener = match (&args.transport.socket, args.transport.http) {
        (Some(named), _) => Listener::Socket(listen(named.as_deref()).map_err(|error| {
            Abort::failure(format!("cannot listen: {error}"))
                .help("name a socket in a folder that only you can enter: `--socket PATH`")
        })?),
        (None, Some(address)) => {
            let listening = listen_http(args.http.settings(address), &service).await;
            Listener::Http(listening.map_err(refused)?)
        }
        (None, None) => Listener::Stdio,
    };
    let interrupted = interrupted_while_watching();
    let follower = watch.follow(Arc::clone(&engine), progress, journal.clone())?;
    let _proving = rounds.begin().await;
    let served = serve(listener, Arc::clone(&service));
    tokio::pin!(served);
    let ended = tokio::select! {
        ended = &mut served => ended,
        () = interrupted => {
            service.end();
            served.await
        }
    };
    follower.end().await;
    let closed = engine.close(args.close).await;
    if !closed.is_clean() {
        let left = closed.dispatches + closed.left_behind;
        stderr::warning(&format!(
            "{left} calls of hooks and {} in the background did not end in time",
            closed.background.pending
        ));
    }
    let ended = match doing {
        Some(doing) => ended.and(doing.finish().await),
        None => ended,
    };
    ended.and(journal.as_ref().map_or(Ok(()), journal::finish)).map(|()| Exit::Ok)
}

/// Says why HTTP is not served.
fn refused(error: HttpError) -> Abort {
    let help = match &error {
        HttpError::Opa(_) => {
            "what is sent there is `pre_tool_use` alone: `--accept-unenforced ID` names a guard that is not needed there"
        }
        _ => "docs/serve.md says what HTTP takes",
    };
    Abort::failure(error.to_string()).help(help)
}

async fn serve(listener: Listener, service: Arc<Service>) -> Result<(), Abort> {
    match listener {
        Listener::Http(listening) => {
            let token = listening
                .token_file()
                .map(|file| format!(", the token is in `{}`", file.display()));
            stderr::note(&format!(
                "listening on `{}`{}",
                listening.url(),
                token.unwrap_or_default()
            ));
            listening.serve().await;
            Ok(())
        }
        Listener::Socket(listening) => {
            stderr::note(&format!("listening on `{}`", listening.path().display()));
            listening.serve(service).await;
            Ok(())
        }
        Listener::Stdio => stdio(service)
            .await
            .map_err(|error| Abort::failure(format!("stdin or stdout cannot be used: {error}"))),
    }
}
