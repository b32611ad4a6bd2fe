//! From the settings of a hook to its handler.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{AsyncHandler, BuiltHandler, Contract, Invocation, Reply, ReplyFuture};
use hookgate_secrets::Secrets;

use crate::audit;
use crate::environment::Environment;
use crate::launch::{self, Launch};
use crate::limits::Limits;
use crate::line::Line;
use crate::outcome::{self, Output, Reading, Silence};
use crate::pin::Pin;
use crate::process;
use crate::sandbox::{self, Sandbox};
use crate::shim;
use crate::worker::{Pool, Terms};

const MODES: &[&str] = &["plain", "worker"];

/// How long a program that was asked to end is waited for.
const GRACE: Duration = Duration::from_millis(200);

/// Said by the vote where a program could not run where it should have.
const ELSEWHERE: &str = "ran in the config's folder: the session's cwd does not exist";

/// Builds a handler that runs a program.
pub fn build(settings: &mut Settings<'_>, surroundings: &BuildContext<'_>) -> Option<BuiltHandler> {
    // The folder of `hooks.toml` alone is the empty path, which is no folder.
    let base = match std::path::absolute(surroundings.base.join(".")) {
        Ok(base) => base,
        Err(error) => {
            settings.invalid("argv", format!("the folder of the config is not known: {error}"));
            return None;
        }
    };
    let line = Line::read(settings, &base);
    let mut environment = Environment::read(settings);
    let output = settings.choice("stdout", Output::NAMES, Output::from_name);
    let output = output.unwrap_or(Output::Verdict);
    let silence = settings.choice("silence", Silence::NAMES, Silence::from_name);
    if silence == Some(Silence::Failure) && output == Output::Context {
        settings.invalid("silence", "text for the model may be empty: leave it out");
    }
    let reading = Reading { output, silence: silence.unwrap_or_default() };
    let worker = settings.choice("mode", MODES, |name| MODES.iter().position(|mode| *mode == name));
    let terms = Terms::read(settings, worker == Some(1));
    if terms.is_some() && output == Output::Context {
        settings.invalid("stdout", "a worker answers with verdicts: use `mode = \"plain\"`");
    }
    let grace = settings.duration("grace").unwrap_or(GRACE);
    let limits = Limits::read(settings);
    let sandbox = Sandbox::read(settings, &base);
    let shim = shim_of(settings, sandbox.is_some());
    let line = line?;
    environment.python(line.python_folder());
    let pins = Vec::new();
    let launch = Launch { line, environment, base, grace, limits, sandbox, shim, pins };
    Some(built(launch, terms, reading, surroundings.output))
}

/// The shim, unless it is switched off.
fn shim_of(settings: &mut Settings<'_>, sandbox: bool) -> Option<PathBuf> {
    let wanted = settings.flag("shim");
    let registered = shim::registered();
    let missing = "this program has no shim: it calls `hookgate_command::shim::main` and \
                   `register` to have one";
    match wanted {
        Some(true) if registered.is_none() => settings.invalid("shim", missing),
        Some(false) if sandbox => settings.invalid("shim", "a sandbox needs it"),
        None if sandbox && registered.is_none() => settings.invalid("sandbox", missing),
        _ => {}
    }
    registered.filter(|_| wanted != Some(false)).map(Path::to_owned)
}

fn built(mut launch: Launch, terms: Option<Terms>, reading: Reading, most: usize) -> BuiltHandler {
    let Reading { output, .. } = reading;
    let line = &launch.line;
    let own = line.own(&launch.base);
    let mut pins: Vec<Pin> = own.iter().map(|path| Pin::own(path)).collect();
    let mut identity = format!("{} {most}", audit::fingerprint(&pins));
    // A word that has become a path is another argument.
    for other in &line.others {
        identity
            .push_str(&format!(" {}", other.strip_prefix(&launch.base).unwrap_or(other).display()));
    }
    let mut revision = 0;
    let foreign = line.files().into_iter().filter(|path| !own.contains(path));
    for pin in foreign.map(|path| Pin::foreign(path)) {
        revision += u64::from(pin.revision());
        pins.push(pin);
    }
    let sources = own.into_iter().cloned().collect();
    let resolved = line.all().into_iter().cloned().collect();
    let mut warnings = audit::warnings(&line.files());
    warnings.extend(line.warnings.iter().cloned());
    warnings.extend(launch.environment.warnings(&launch.base));
    launch.pins = pins;
    if launch.limits.is_void() {
        warnings.push("`limits.processes` does not bind the superuser".to_owned());
    }
    let mut notes = Vec::new();
    if let Some(shim) = &launch.shim {
        notes.push(format!("shim: {}", shim.display()));
    }
    if let Some(sandbox) = &launch.sandbox {
        let supported = sandbox.is_supported();
        notes.push(format!("sandbox: {}", if supported { "enforced" } else { "refused" }));
        notes.push(format!("sandbox: not covered: {}", sandbox::NOT_COVERED));
        if !supported {
            warnings.push(
                "this kernel cannot enforce `sandbox` (Landlock): each run fails as untrusted"
                    .to_owned(),
            );
        }
    }
    let mut built = match terms {
        Some(terms) => {
            let pool = Pool::new(launch, terms, most);
            BuiltHandler::from_async(pool.clone()).probe(pool)
        }
        // To run a program that judges would be to judge.
        None => BuiltHandler::from_async(Recipe { launch, reading, most }),
    };
    if output == Output::Context {
        built = built.supports(takes_context);
    }
    built.executables = resolved;
    built.revision = revision;
    built.sources = sources;
    built.warnings = warnings;
    built.notes = notes;
    built.identity(identity)
}

fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context {
        Ok(())
    } else {
        Err("no context can be added here, and `stdout` is \"context\"")
    }
}

/// A program that is started for each step.
struct Recipe {
    launch: Launch,
    reading: Reading,
    most: usize,
}

impl AsyncHandler for Recipe {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.launch.environment.secrets();
            match self.run(invocation, &secrets).await {
                Ok(verdict) => {
                    Ok(outcome::cut_reason(verdict.map_texts(|text| secrets.hide(text))))
                }
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl Recipe {
    async fn run(&self, invocation: Invocation<'_>, secrets: &Secrets) -> Reply {
        let input = invocation.envelope.bytes()?;
        launch::within_runtime()?;
        let cwd = invocation.context().cwd.map(Path::new);
        let found = cwd.filter(|cwd| cwd.is_dir());
        let folder = found.unwrap_or(&self.launch.base);
        let started = self.launch.start(invocation.hook, folder, |command| {
            Environment::apply_step(command, &invocation)
        })?;
        let output = self.reading.output;
        let finished = process::run(started, input, invocation, output, self.most).await?;
        let reply = outcome::reply(&finished, self.reading, &invocation, secrets);
        if cwd.is_some() && found.is_none() {
            return reply.map(|verdict| verdict.note(ELSEWHERE));
        }
        reply
    }
}
