//! The handler of a case: a real program that notes what it got and does what the case says.
//!
//! Each handler is a link to this very program. Under its own name it finds a folder with what it has to
//! do (`NAME.d/script`), and there it leaves one folder for each of its runs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::case::Script;
use crate::error::Result;

const SCRIPT: &str = "script.json";

/// What one run of a handler got.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) argv: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) stdin: String,
    /// Nanoseconds of the clock when it began and when it ended; it has not ended if it was killed.
    pub(crate) began: u64,
    pub(crate) ended: Option<u64>,
}

/// Makes the program of a handler in `folder`, and returns its path.
pub(crate) fn install(folder: &Path, index: usize, script: &Script) -> Result<PathBuf> {
    let program = folder.join(format!("hook-{index}"));
    let notes = notes(&program);
    fs::create_dir(&notes)?;
    let script = json!({"stdout": script.stdout, "stderr": script.stderr, "exit": script.exit,
        "delay_ms": script.delay_ms});
    fs::write(notes.join(SCRIPT), script.to_string())?;
    symlink(std::env::current_exe()?, &program)?;
    Ok(program)
}

/// Reads what the runs of a handler got, the first first.
pub(crate) fn records(program: &Path) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for entry in fs::read_dir(notes(program))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "run") {
            let ended = fs::read_to_string(path.with_extension("end")).ok();
            let run: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
            records.push(Record {
                argv: serde_json::from_value(run["argv"].clone())?,
                env: serde_json::from_value(run["env"].clone())?,
                stdin: run["stdin"].as_str().unwrap_or_default().to_owned(),
                began: run["began"].as_u64().unwrap_or_default(),
                ended: ended.and_then(|text| text.parse().ok()),
            });
        }
    }
    records.sort_by_key(|record| record.began);
    Ok(records)
}

fn notes(program: &Path) -> PathBuf {
    program.with_extension("d")
}

/// Does what a handler does, if this process was started as one.
pub(crate) fn act() -> Option<ExitCode> {
    let program = PathBuf::from(std::env::args_os().next()?);
    let notes = notes(&program);
    let script = fs::read_to_string(notes.join(SCRIPT)).ok()?;
    let began = now();
    let run = serve(&serde_json::from_str(&script).ok()?, &notes, began);
    Some(run.unwrap_or(ExitCode::from(70)))
}

fn serve(script: &Value, notes: &Path, began: u64) -> std::io::Result<ExitCode> {
    let mut stdin = Vec::new();
    std::io::stdin().lock().read_to_end(&mut stdin)?;
    let lossy = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let env: BTreeMap<_, _> =
        std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value))).collect();
    let run = json!({"argv": std::env::args_os().skip(1).map(lossy).collect::<Vec<_>>(),
        "env": env, "stdin": String::from_utf8_lossy(&stdin), "began": began});
    let name = format!("{began}-{}", std::process::id());
    fs::write(notes.join(&name).with_extension("run"), run.to_string())?;
    std::thread::sleep(Duration::from_millis(script["delay_ms"].as_u64().unwrap_or_default()));
    let text = |name: &str| script[name].as_str().unwrap_or_default().as_bytes();
    std::io::stdout().write_all(text("stdout"))?;
    std::io::stdout().flush()?;
    std::io::stderr().write_all(text("stderr"))?;
    fs::write(notes.join(&name).with_extension("end"), now().to_string())?;
    Ok(ExitCode::from(script["exit"].as_u64().unwrap_or_default() as u8))
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or_default()
}
