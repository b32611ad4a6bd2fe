//! `hookgate journal`: the file in which decisions are recorded, as a file.

use std::path::PathBuf;

use hookgate_store::{Head, HeadKey, Verification};
use serde_json::json;

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::journal::{JournalArgs, failure};
use crate::terminal::phrase::count;
use crate::terminal::stdout::{self, OutputArgs};
use crate::terminal::style::{BAD, DIM, GOOD};

/// Check the journal of decisions
///
/// `[journal]` in a hooks.toml has every decision recorded in one file; `hookgate log` reads it. Each entry carries the
/// hash of the one before, so nothing in it can be changed, removed or put elsewhere without a trace.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Verify(VerifyArgs),
    Head(HeadArgs),
}

/// Tell whether the journal is what was written
///
/// Looks at every entry, at its body, and at the file. A chain alone does not show that its end was cut off: compare it
/// with heads that were kept elsewhere.
///
/// The exit code is 2 if anything is wrong; the first entry that is, is named first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate journal verify
  hookgate journal verify --heads /mnt/other/heads.jsonl --key-variable HEAD_KEY
  journalctl -u agent | hookgate journal verify --heads -")]
struct VerifyArgs {
    #[command(flatten)]
    journal: JournalArgs,
    /// A file of heads, as `[journal] heads` or `hookgate journal head` writes it, or of lines or logs with heads
    /// among others; `-` is stdin; may be given several times
    #[arg(long, alias = "head", value_name = "FILE")]
    heads: Vec<PathBuf>,
    /// The environment variable with the key by which each of the heads must be signed
    #[arg(long, value_name = "NAME", requires = "heads")]
    key_variable: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Print the head of the chain, to be kept elsewhere
///
/// One JSON object: the last entry and its hash. `hookgate journal verify --heads` compares it later.
#[derive(Debug, clap::Args)]
struct HeadArgs {
    #[command(flatten)]
    journal: JournalArgs,
    /// The environment variable with the key by which it is signed
    #[arg(long, value_name = "NAME")]
    key_variable: Option<String>,
}

/// Runs the verb.
///
/// # Errors
/// The journal is not there or cannot be read, or stdout takes no more.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    match &args.verb {
        Verb::Verify(args) => verify(args),
        Verb::Head(args) => head(args),
    }
}

fn head(args: &HeadArgs) -> Result<Exit, Abort> {
    let head = args.journal.open()?.head().map_err(|error| failure(&error))?;
    let head = match key(args.key_variable.as_deref())? {
        Some(key) => head.signed(&key),
        None => head,
    };
    stdout::json_line(&head)?;
    Ok(Exit::Ok)
}

fn key(variable: Option<&str>) -> Result<Option<HeadKey>, Abort> {
    let Some(name) = variable else { return Ok(None) };
    let key = HeadKey::of_variable(name);
    key.map(Some)
        .ok_or_else(|| Abort::usage(format!("the variable {name} is not set: it holds the key")))
}

fn verify(args: &VerifyArgs) -> Result<Exit, Abort> {
    let key = key(args.key_variable.as_deref())?;
    let mut heads = Vec::new();
    for file in &args.heads {
        let read = match file.as_os_str() == "-" {
            true => std::io::read_to_string(std::io::stdin())
                .and_then(|text| Head::read_lines(&text, "stdin")),
            false => Head::read_all(file),
        };
        heads.extend(read.map_err(|error| Abort::file("read", file, &error))?);
    }
    let file = args.journal.file()?;
    let found =
        args.journal.open()?.verify(&heads, key.as_ref()).map_err(|error| failure(&error))?;
    if args.output.wants_json() {
        stdout::json_line(&json!({
            "whole": found.is_whole(),
            "entries": found.entries,
            "without_body": found.without_body,
            "in_doubt": found.in_doubt,
            "heads": heads.len(),
            "after_heads": found.after_heads,
            "head": found.head,
            "faults": found.faults,
        }))?;
    } else {
        stdout::print(&screen(&file.display().to_string(), &found, heads.len()))?;
    }
    Ok(if found.is_whole() { Exit::Ok } else { Exit::Deny })
}

fn screen(file: &str, found: &Verification, heads: usize) -> String {
    let entries = match found.entries {
        1 => "1 entry".to_owned(),
        number => format!("{number} entries"),
    };
    let in_doubt = found.in_doubt.len();
    let mut text = match found.faults.len() {
        0 if in_doubt > 0 => {
            let bodies = if in_doubt == 1 { "body" } else { "bodies" };
            format!(
                "{GOOD}whole{GOOD:#}, {BAD}with {in_doubt} {bodies} in doubt{BAD:#} {file}: {entries}\n"
            )
        }
        0 => format!("{GOOD}whole{GOOD:#} {file}: {entries}\n"),
        faults => format!("{BAD}broken{BAD:#} {file}: {} in {entries}\n", count(faults, "fault")),
    };
    for fault in &found.faults {
        text.push_str(&format!("  {BAD}{fault}{BAD:#}\n"));
    }
    if found.without_body > 0 {
        text.push_str(&format!(
            "  {DIM}{} without their bodies, which retention has deleted{DIM:#}\n",
            found.without_body
        ));
    }
    if let (Some(first), Some(last)) = (found.in_doubt.first(), found.in_doubt.last()) {
        text.push_str(&format!(
            "  {BAD}{in_doubt} without their bodies ({first} to {last}): only an entry after the last head says that \
             retention has deleted them{BAD:#}\n"
        ));
    }
    let compared = match heads {
        0 => "compared with no head: a cut at the end would not be seen (--heads FILE)".to_owned(),
        heads => {
            let after = match found.after_heads {
                None | Some(0) => String::new(),
                Some(1) => "; 1 entry came after the last".to_owned(),
                Some(number) => format!("; {number} entries came after the last"),
            };
            format!("compared with {} from elsewhere{after}", count(heads, "head"))
        }
    };
    text.push_str(&format!("  {DIM}{compared}{DIM:#}\n"));
    text
}
