//! `hookgate certify`: whether each guard and each rewriter works.

mod certificate;
mod made_up;
mod pattern_text;
mod prover;
mod screen;
mod way;

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate::certify::{Proof, State, deciders};
use hookgate::config::Loaded;
use serde_json::json;

use crate::abort::Abort;
use crate::config::{self, ConfigArgs, Configs};
use crate::exit_code::Exit;
use crate::hook_standing::Standing;
use crate::interrupt::interrupted;
use crate::kinds::files_of;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use crate::terminal::stdout::{self, OutputArgs};
use certificate::Certificate;
use prover::Prover;
use way::Agent;

/// Prove that each guard and each rewriter works
///
/// Sends steps with a known outcome through the whole path of each hook: the envelope of the agent, the conditions, the
/// program or service, its answer, and what the agent makes of that. The hook is alone and enforced, so that no other
/// one does its work. The steps are its `canary` in the config: one at least that it must stop, and one that it must
/// let pass. For the builtins `deny`, `ask` and `answer` they are made up from the conditions.
///
/// A hook is proved, dead (with how), or untested. Programs are really run and services really asked, but no tool is.
///
/// The certificate names the config, all its files with their hashes, the agent and the time. With --check it is
/// compared with what is there now. It is no signature: keep it where an agent cannot write.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 no hook is dead · 2 one is, or with --check: the certificate is not valid · 3 invalid config.

Example:
  [[hook]]
  id = \"no-force-push\"
  event = \"pre_tool_use\"
  tool = \"Bash\"
  command = { argv = [\"./no-force-push.sh\"] }
  canary = [
    { step = { tool_name = \"Bash\", tool_input = { command = \"git push --force\" } }, decision = \"deny\" },
    { step = { tool_name = \"Bash\", tool_input = { command = \"git push\" } }, decision = \"allow\" },
  ]

Examples:
  hookgate certify
  hookgate certify --agent claude --deny-untested
  hookgate certify -c hooks.toml --valid 7d --out hooks.certificate.json
  hookgate certify --check hooks.certificate.json")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// Send the steps as this agent would, and see whether it would obey
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Tell whether this certificate is still valid, and send nothing
    #[arg(long, value_name = "CERTIFICATE", conflicts_with_all = ["valid", "out"])]
    check: Option<PathBuf>,
    /// How long the certificate is good
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = humantime::parse_duration)]
    valid: Duration,
    /// Write the certificate to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Exit with 2 also if a hook is untested
    #[arg(long)]
    deny_untested: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// The config is not valid, there is no such agent, a file cannot be read or written, or it was interrupted.
pub async fn run(args: Args) -> Result<Exit, Abort> {
    if let Some(file) = &args.check {
        return check(&args, file);
    }
    let agent = args.agent.as_deref().map(Agent::find).transpose()?;
    let (configs, loaded) = args.config.load_in_part(&config::registry())?;
    let files = files(&configs, &loaded);
    let table = loaded.table;
    let folder = std::env::current_dir().unwrap_or_default();
    let standing = Standing::of(&configs);
    let agent_ref = agent.as_ref();
    let (folder, warnings) = (&folder, &loaded.warnings);
    let prover = Prover { table: &table, standing: &standing, agent: agent_ref, folder, warnings };
    let hooks = tokio::select! {
        hooks = prove_all(&prover) => hooks,
        () = interrupted() => return Err(Abort::failure("interrupted: nothing is certified")),
    };
    let name = agent.map(|agent| agent.dialect.name().to_owned());
    let made_of = (table.config_hash(), files.as_slice());
    let certificate = Certificate::new(name, &args.config.files, made_of, args.valid, hooks)?;
    if let Some(path) = &args.out {
        certificate.write(path)?;
    }
    if args.output.wants_json() {
        stdout::json_line(&certificate)?;
    } else {
        stdout::print(&screen::text(&certificate))?;
    }
    Ok(exit(&args, &certificate, false))
}

async fn prove_all(prover: &Prover<'_>) -> Vec<Proof> {
    let hooks = deciders(prover.table);
    let progress = Progress::over_items(hooks.len() as u64);
    let mut proofs = Vec::new();
    for hook in hooks {
        proofs.push(prover.prove(hook).await);
        progress.advance_item();
    }
    progress.finish();
    proofs
}

/// Returns the configs and all that their hooks name.
fn files(configs: &Configs, loaded: &Loaded) -> Vec<PathBuf> {
    files_of(&configs.all_files(loaded), &loaded.table)
}

/// Compares a certificate with what is there now.
fn check(args: &Args, file: &Path) -> Result<Exit, Abort> {
    let certificate = Certificate::read(file)?;
    let mut config = args.config.clone();
    if config.files.is_empty() {
        config.files.clone_from(&certificate.configs);
    }
    let (configs, loaded) = config.load_in_part(&config::registry())?;
    let mut problems = certificate.problems(loaded.table.config_hash(), &files(&configs, &loaded));
    if let Some(name) = &args.agent {
        problems.extend(certificate.problem_of_agent(Agent::find(name)?.dialect.name()));
    }
    if args.output.wants_json() {
        let valid = problems.is_empty();
        stdout::json_line(&json!({
            "valid": valid, "expires": certificate.expires, "problems": problems,
            "untested": certificate.ids(State::Untested),
        }))?;
    } else {
        stdout::print(&screen::checked(&certificate, &problems))?;
    }
    Ok(exit(args, &certificate, !problems.is_empty()))
}

/// Returns how the verb ends, and warns of what nobody has tested.
fn exit(args: &Args, certificate: &Certificate, is_wrong: bool) -> Exit {
    let untested = certificate.ids(State::Untested);
    if !untested.is_empty() && !args.output.wants_json() {
        stderr::warning(&format!("nobody knows whether these hooks work: {}", untested.join(", ")));
    }
    let dead = !certificate.ids(State::Dead).is_empty();
    if is_wrong || dead || (args.deny_untested && !untested.is_empty()) {
        Exit::Deny
    } else {
        Exit::Ok
    }
}
