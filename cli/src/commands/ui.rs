//! `hookgate ui`: a live page of what is on, what was decided, and what waits for a person.

mod agents;
mod decision;
mod decisions;
mod gate;
mod now;
mod numbers;
mod questions;
mod server;
mod site;

use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::sync::Arc;

use tempfile::NamedTempFile;
use tokio::net::TcpListener;

use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::exit_code::Exit;
use crate::interrupt::interrupted;
use crate::journal::JournalArgs;
use crate::terminal::{stderr, stdout};
use site::Site;

/// What opens a page for the user.
const OPENER: &str = "xdg-open";

/// Show a live page: what is on, decisions as they come, questions that wait
///
/// It prints the URL of the page and serves it until it is interrupted, on 127.0.0.1 alone. Whoever has the URL can read
/// the journal and answer questions as this user: the part after `#` is a secret of this run, which the browser sends to
/// nobody but this program. docs/ui.md says what the page shows.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate ui --open
  hookgate ui --port 7777 --journal decisions.db -c hooks.toml")]
pub struct Args {
    /// The port; without it one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Start the browser, by xdg-open
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    journal: JournalArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the verb.
///
/// # Errors
/// The port is taken, or stdout takes no more.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    let interrupted = interrupted();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await;
    let listener = listener.map_err(|error| {
        Abort::failure(format!("cannot listen on 127.0.0.1:{}: {error}", args.port))
            .help("leave out --port: a port that is free is taken then")
    })?;
    let port = listener.local_addr()?.port();
    let journal = args.journal.file()?;
    let site = Arc::new(Site::new(port, journal, args.config)?);
    let url = format!("http://127.0.0.1:{port}/#{}", site.token.text());
    stdout::print(&format!("{url}\n"))?;
    let _page = if args.open { open(&url) } else { None };
    tokio::select! {
        served = axum::serve(listener, server::router(site)) => {
            served.map(|()| Exit::Ok).map_err(|error| Abort::failure(error.to_string()))
        }
        () = interrupted => Ok(Exit::Ok),
    }
}

/// Starts the browser with a file that leads it to the page, and returns the file: the URL itself would stand on a command
/// line, which every user of the machine can read. Where that does not work, the URL is printed all the same.
fn open(url: &str) -> Option<NamedTempFile> {
    let opened = page_to(url).and_then(|page| {
        let mut opener = Command::new(OPENER);
        opener.arg(page.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        opener.spawn().map(|_| page)
    });
    let warn = |error: &io::Error| {
        stderr::warning(&format!("`{OPENER}` cannot be started: {error}; open the URL yourself"));
    };
    opened.inspect_err(warn).ok()
}

/// Writes a file, for this user only, from which a browser goes to a URL.
fn page_to(url: &str) -> io::Result<NamedTempFile> {
    let mut page = tempfile::Builder::new().prefix("hookgate-").suffix(".html").tempfile()?;
    write!(page, "<!doctype html><meta http-equiv=refresh content=\"0;url={url}\">")?;
    page.flush()?;
    Ok(page)
}
