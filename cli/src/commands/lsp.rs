//! `hookgate lsp`: the language server for hooks.toml. What an editor asks comes on stdin, the answers go to
//! stdout.
//!
//! One thread reads and answers; it never waits for a check. Another one checks the texts: it has at most
//! the latest of each file before it, so typing queues no work. Messages are plain JSON values: the few
//! shapes that are used are written where they are made.

mod check;
mod complete;
mod cursor;
mod definition;
mod document;
mod event_words;
mod hover;
mod lines;
mod question;
mod server;
mod vocabulary;
mod wire;
mod worker;

use std::io::BufReader;
use std::sync::Arc;
use std::thread;

use tokio::runtime::Handle;

use crate::abort::Abort;
use crate::exit_code::Exit;
use server::Server;
use wire::{Incoming, Outbox};
use worker::Queue;

/// Serve an editor: mistakes while you type, completion, and the reference
///
/// It speaks the language server protocol on stdin and stdout: an editor starts it, people do not. The
/// mistakes are those of `hookgate check --analyze`, at the same places, in the text as it is on the screen. Nothing
/// that the hooks name is run; scripts are read by the interpreters of the machine, as `check` does.
///
/// docs/editors.md says what to write for VS Code and Neovim.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example, in the init.lua of Neovim 0.11:
  vim.lsp.config('hookgate', { cmd = { 'hookgate', 'lsp' }, filetypes = { 'toml' } })")]
pub struct Args {
    /// Speak on stdin and stdout, which it does anyway: some editors add it
    #[arg(long)]
    stdio: bool,
}

/// Runs the verb, on a runtime: handlers are built.
///
/// # Errors
/// Stdin or stdout cannot be used any more.
pub fn run(_: &Args) -> Result<Exit, Abort> {
    serve()
}

/// Serves one editor until it says `exit` or closes stdin. It must be called within a runtime, which the
/// handlers of a config may need while they are built.
///
/// # Errors
/// Stdin cannot be read, stdout takes no more, or the thread of the checks cannot be started.
fn serve() -> Result<Exit, Abort> {
    let (outbox, queue) = (Arc::new(Outbox::new()), Arc::new(Queue::default()));
    let checks = (Arc::clone(&queue), Arc::clone(&outbox), Handle::current());
    thread::Builder::new()
        .name("checks".to_owned())
        .spawn(move || {
            let (queue, outbox, runtime) = checks;
            let _entered = runtime.enter();
            worker::work(&queue, &outbox);
        })
        .map_err(|error| Abort::failure(format!("no thread can be started: {error}")))?;
    let mut server = Server::new(Arc::clone(&outbox), queue);
    let mut input = BufReader::new(std::io::stdin());
    loop {
        let read = wire::read(&mut input);
        match read.map_err(|error| Abort::failure(format!("cannot read stdin: {error}")))? {
            Some(Incoming::Message(message)) => {
                if let Some(exit) = server.take(&message)? {
                    return Ok(exit);
                }
            }
            Some(Incoming::Broken(why)) => outbox.refuse_unreadable(&why)?,
            None => return Ok(server.ended()),
        }
    }
}
