//! From the settings of a hook to its handler.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate_contract::dialect::ScriptAgent;
use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Contract, Resource, file};

use crate::audit;
use crate::handler::CommandHandler;
use crate::pool::PoolSettings;
use crate::program_pin::ProgramPin;
use crate::run::Spawner;
use crate::settings::{
    CommandLine, Environment, NOT_COVERED, ReplyFormat, ResourceLimits, Sandbox, StdoutFormat,
};
use crate::shim;
use crate::worker::WorkerHandler;

/// How often the program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunMode {
    /// Once for each step.
    Plain,
    /// Once for many steps.
    Worker,
}

impl RunMode {
    const NAMES: &[&str] = &["plain", "worker"];

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "plain" => Some(Self::Plain),
            "worker" => Some(Self::Worker),
            _ => None,
        }
    }
}

/// How long a program may take to end after TERM, unless `grace` says otherwise.
const DEFAULT_GRACE: Duration = Duration::from_millis(200);

/// The warning where the kernel has no Landlock.
const NO_LANDLOCK: &str =
    "this kernel cannot enforce `sandbox` (Landlock): each run fails as untrusted";

/// Builds a handler that runs a program, from the settings that the [crate](crate) documents.
///
/// Relative paths start at [`BuildContext::base`], and stdout may have [`BuildContext::output`] bytes.
/// No program is started: it looks at files only, and hashes those of the hook.
///
/// ```
/// use hookgate_contract::settings::{Node, Settings};
/// use hookgate_contract::BuildContext;
/// use std::path::Path;
///
/// let node = Node::from_json(&serde_json::json!({"argv": ["sh", "-c", "exit 2"]}));
/// let mut settings = Settings::new(&node);
/// let context = BuildContext::new(Path::new("/etc"), 64 * 1024);
/// let built = hookgate_command::build(&mut settings, &context).unwrap();
/// assert!(settings.finish().is_empty());
/// assert!(built.executables[0].is_absolute());
/// ```
///
/// If it returns `None`, the settings hold the reasons, all of them:
///
/// ```
/// # use hookgate_contract::settings::{Node, Settings};
/// # use hookgate_contract::BuildContext;
/// # use std::path::Path;
/// let node = Node::from_json(&serde_json::json!({"argv": ["./missing.py"]}));
/// let mut settings = Settings::new(&node);
/// let context = BuildContext::new(Path::new("/etc"), 64 * 1024);
/// assert!(hookgate_command::build(&mut settings, &context).is_none());
/// let errors = settings.finish();
/// assert!(errors[0].to_string().contains("`/etc/missing.py` is not there"));
/// ```
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    let base = base_folder(settings, "argv", context)?;
    let command_line = CommandLine::read(settings, &base);
    let format = ReplyFormat::read(settings);
    let worker = read_worker_mode(settings, format);
    let agent = read_agent(settings, context, worker.is_some());
    let (spawner, mut declared) = read_spawner(settings, command_line, base, context.output)?;
    if worker.is_some() {
        declared.warnings.extend(no_worker(&spawner));
    }
    declared.notes.extend(agent.as_ref().and_then(|agent| agent.plain_text(context.events)));
    let mut built = match worker {
        Some(worker) => {
            let workers = WorkerHandler::new(spawner, worker, context.output);
            BuiltHandler::from_async(workers.clone()).probe(workers)
        }
        // No probe in plain mode: running the program would already be a decision about a step.
        None => {
            let max_output = context.output;
            let once = agent.as_ref().is_some_and(ScriptAgent::asks_once);
            let mut built =
                BuiltHandler::from_async(CommandHandler { spawner, format, agent, max_output });
            built.once = once;
            built
        }
    };
    if format.stdout == StdoutFormat::Context {
        built = built.supports(supports_context).never_refuses();
    }
    declared.declare(&mut built);
    Some(built.external().takes(Resource::Process))
}

/// Returns the folder of the config as an absolute path; notes under a setting why there is none.
pub(crate) fn base_folder(
    settings: &mut Settings<'_>,
    key: &str,
    context: &BuildContext<'_>,
) -> Option<PathBuf> {
    // The folder of a bare `hooks.toml` is the empty path, which is not a folder.
    let base = std::path::absolute(context.base.join("."));
    let problem = |error| format!("the folder of the config is not known: {error}");
    base.map_err(|error| settings.invalid(key, problem(error))).ok()
}

/// Reads what every program has beside its command line, and pins its files.
pub(crate) fn read_spawner(
    settings: &mut Settings<'_>,
    command_line: Option<CommandLine>,
    base: PathBuf,
    max_output: usize,
) -> Option<(Spawner, Declared)> {
    let mut environment = Environment::read(settings);
    let grace = settings.duration("grace").unwrap_or(DEFAULT_GRACE);
    let limits = ResourceLimits::read(settings);
    let sandbox = Sandbox::read(settings, &base);
    let shim = read_shim(settings, sandbox.is_some());
    let command_line = command_line?;
    environment.set_python_folder(command_line.python_folder());
    let mut spawner =
        Spawner { command_line, environment, base, grace, limits, sandbox, shim, pins: Vec::new() };
    let (identity, revision) = pin_files(&mut spawner, max_output);
    let declared = Declared::of_spawner(&spawner, identity, revision);
    Some((spawner, declared))
}

/// Reads `mode` and the settings of worker mode; returns `None` in plain mode.
fn read_worker_mode(settings: &mut Settings<'_>, format: ReplyFormat) -> Option<PoolSettings> {
    let mode = settings.choice("mode", RunMode::NAMES, RunMode::from_name);
    let worker = PoolSettings::read_worker(settings, mode == Some(RunMode::Worker));
    if worker.is_some() && format.stdout == StdoutFormat::Context {
        settings.invalid("stdout", "a worker answers with verdicts: use `mode = \"plain\"`");
    }
    worker
}

/// Reads `dialect`: the agent that the program was written for says what stdout means.
fn read_agent(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    is_worker: bool,
) -> Option<ScriptAgent> {
    let agent = context.read_dialect(settings)?;
    for key in ["stdout", "silence"] {
        if settings.has(key) {
            settings.invalid(key, "the `dialect` says what stdout means: leave it out");
        }
    }
    if is_worker {
        let problem = "no agent has workers: leave `mode` out to start the program for each step";
        settings.invalid("dialect", problem);
    }
    Some(agent)
}

/// Reads `shim`; returns the shim of the host, unless it is switched off.
fn read_shim(settings: &mut Settings<'_>, has_sandbox: bool) -> Option<PathBuf> {
    let wanted = settings.flag("shim");
    let registered = shim::registered();
    let missing = if cfg!(target_os = "linux") {
        "this program has no shim: it calls `hookgate_command::shim::main` and `register` to have one"
    } else {
        "only Linux can have one: leave it out"
    };
    match wanted {
        Some(true) if registered.is_none() => settings.invalid("shim", missing),
        Some(false) if has_sandbox => settings.invalid("shim", "a sandbox needs it"),
        None if has_sandbox && registered.is_none() => settings.invalid("sandbox", missing),
        _ => {}
    }
    registered.filter(|_| wanted != Some(false)).map(Path::to_owned)
}

/// Pins the files of a hook; returns what identifies the handler beside its settings.
///
/// The identity is made of the content of the hook's own files, the limit of the output, and the names
/// of other files beside the config. The revision counts how often a program of the system was found
/// changed.
fn pin_files(spawner: &mut Spawner, max_output: usize) -> (String, u64) {
    let Spawner { command_line, base, .. } = &*spawner;
    let of_hook = command_line.hook_files(base);
    let mut pins: Vec<ProgramPin> = of_hook.iter().map(|path| ProgramPin::of_hook(path)).collect();
    let mut identity = format!("{} {max_output}", audit::fingerprint(&pins));
    // A word that has become a path is another argument.
    for other in &command_line.others {
        let name = other.strip_prefix(base).unwrap_or(other);
        identity.push_str(&format!(" {}", name.display()));
    }
    let of_system = command_line.run_files().into_iter().filter(|path| !of_hook.contains(path));
    let mut revision = 0;
    for pin in of_system.map(|path| ProgramPin::of_system(path)) {
        revision += u64::from(pin.revision());
        pins.push(pin);
    }
    spawner.pins = pins;
    (identity, revision)
}

/// The largest script that is searched for the protocol of workers, in bytes.
const SCRIPT: u64 = 256 * 1024;

/// Returns a warning if none of the scripts of a worker says anything that a worker says: it would
/// never answer `{"ready":1}`. Programs that are no texts are not looked into.
fn no_worker(spawner: &Spawner) -> Option<String> {
    let Spawner { command_line, base, .. } = spawner;
    let scripts = command_line.hook_files(base);
    let text = |path: &&PathBuf| {
        let bytes = file::read(path, SCRIPT).ok().filter(|bytes| !bytes.contains(&0))?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let texts: Vec<String> = scripts.iter().map(text).collect::<Option<_>>()?;
    let speaks = |text: &String| {
        let text = text.to_lowercase();
        text.contains("hookgate") || text.contains("ready")
    };
    let script = scripts.first()?.file_name()?.to_string_lossy().into_owned();
    (!texts.iter().any(speaks)).then(|| {
        format!(
            "`mode` is \"worker\", and `{script}` is no worker: it uses neither the SDK \
             (`hookgate init --sdk`) nor the protocol, which begins with {{\"ready\":1}}; leave \
             `mode` out to start it for each step"
        )
    })
}

/// What the handler of a program declares for `check`, `list` and the watcher of a config.
#[derive(Debug)]
pub struct Declared {
    identity: String,
    revision: u64,
    executables: Vec<PathBuf>,
    sources: Vec<PathBuf>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl Declared {
    fn of_spawner(spawner: &Spawner, identity: String, revision: u64) -> Self {
        let Spawner { command_line, base, .. } = spawner;
        let mut warnings = audit::write_warnings(&command_line.run_files());
        warnings.extend(command_line.warnings.iter().cloned());
        warnings.extend(spawner.environment.warnings(base));
        if spawner.limits.is_ineffective() {
            warnings.push("`limits.processes` does not bind the superuser".to_owned());
        }
        let mut notes = Vec::new();
        if let Some(shim) = &spawner.shim {
            notes.push(format!("shim: {}", shim.display()));
        }
        if let Some(sandbox) = &spawner.sandbox {
            let is_supported = sandbox.is_supported();
            notes.push(format!("sandbox: {}", if is_supported { "enforced" } else { "refused" }));
            notes.push(format!("sandbox: not covered: {NOT_COVERED}"));
            if !is_supported {
                warnings.push(NO_LANDLOCK.to_owned());
            }
        }
        Self {
            identity,
            revision,
            executables: command_line.named_files().into_iter().cloned().collect(),
            sources: command_line.hook_files(base).into_iter().cloned().collect(),
            warnings,
            notes,
        }
    }

    /// Declares it of a handler: its identity, its files, and what a person who checks the config should
    /// know.
    pub fn declare(self, built: &mut BuiltHandler) {
        built.identity = Some(self.identity);
        built.revision = self.revision;
        built.executables = self.executables;
        built.sources = self.sources;
        built.warnings = self.warnings;
        built.notes = self.notes;
    }
}

fn supports_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context {
        Ok(())
    } else {
        Err("no context can be added here, and `stdout` is \"context\"")
    }
}
