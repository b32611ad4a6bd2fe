//! What was proved, of which files, and for how long.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use data_encoding::HEXLOWER;
use hmac_sha256::Hash;
use hookgate::ConfigHash;
use hookgate::certify::{Proof, State};
use hookgate::contract::file;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::abort::Abort;
use crate::replace_file::replace;

/// The version of the format.
const VERSION: u32 = 1;

/// How times are written.
const TIME: &str = "%Y-%m-%dT%H:%M:%SZ";

/// What was proved. It is no signature: whoever can write the file can write another one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificate {
    version: u32,
    created: String,
    pub(super) expires: String,
    /// The version of hookgate.
    hookgate: String,
    pub(super) agent: Option<String>,
    /// The configs that the command line named; empty if they were looked for.
    pub(super) configs: Vec<PathBuf>,
    config_hash: ConfigHash,
    /// The configs and all that their hooks name, each with its SHA-256; null if it could not be read.
    files: BTreeMap<PathBuf, Option<String>>,
    pub(super) hooks: Vec<Proof>,
}

/// Something that makes a certificate worthless.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    code: &'static str,
    pub(super) message: String,
}

impl Certificate {
    /// Makes a certificate that is good from now on.
    ///
    /// # Errors
    /// The time is beyond all calendars.
    pub(super) fn new(
        agent: Option<String>,
        configs: &[PathBuf],
        (config_hash, files): (ConfigHash, &[PathBuf]),
        valid: Duration,
        hooks: Vec<Proof>,
    ) -> Result<Self, Abort> {
        let now = Timestamp::now();
        let expires = now.checked_add(valid).map_err(|error| Abort::usage(error.to_string()))?;
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        Ok(Self {
            version: VERSION,
            created: now.strftime(TIME).to_string(),
            expires: expires.strftime(TIME).to_string(),
            hookgate: env!("CARGO_PKG_VERSION").to_owned(),
            agent,
            configs: configs.iter().map(absolute).collect(),
            config_hash,
            files: files.iter().map(|path| (path.clone(), hash_of(path).ok())).collect(),
            hooks,
        })
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// It cannot be read, or is none of this version.
    pub(super) fn read(path: &Path) -> Result<Self, Abort> {
        let text = file::read_text(path, file::LIMIT);
        let text = text.map_err(|error| Abort::file("read", path, &error))?;
        let read: Self =
            serde_json::from_str(&text).map_err(|error| Abort::file("read", path, &error))?;
        if read.version == VERSION {
            return Ok(read);
        }
        let other = format!("version {} is not known, only {VERSION}", read.version);
        Err(Abort::file("read", path, &other))
    }

    /// Writes the certificate.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), Abort> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Abort::file("write", path, &error))?;
        replace(path, &(text + "\n"), 0o644).map_err(|error| Abort::file("write", path, &error))
    }

    /// Returns the hooks of which this is known.
    pub(super) fn ids(&self, state: State) -> Vec<&str> {
        let of = self.hooks.iter().filter(|hook| hook.state == state);
        of.map(|hook| hook.id.as_str()).collect()
    }

    /// Says that the certificate is about another agent than this.
    pub(super) fn problem_of_agent(&self, agent: &str) -> Option<Problem> {
        let own = self.agent.as_deref();
        let message = format!("it is about {}, not about {agent}", own.unwrap_or("no agent"));
        (own != Some(agent)).then_some(Problem { code: "other_agent", message })
    }

    /// Returns why the certificate is worth nothing now that the config is this one, of these files.
    pub(super) fn problems(&self, config_hash: ConfigHash, files: &[PathBuf]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut add = |code, message| problems.push(Problem { code, message });
        match self.expires.parse::<Timestamp>() {
            Ok(expires) if Timestamp::now() < expires => {}
            Ok(_) => add("expired", format!("it was good until {}", self.expires)),
            Err(error) => add("expired", format!("nobody knows until when it is good: {error}")),
        }
        let own = env!("CARGO_PKG_VERSION");
        if self.hookgate != own {
            add("version", format!("it is of hookgate {}, and this is {own}", self.hookgate));
        }
        for (path, hash) in &self.files {
            if hash_of(path).ok() != *hash {
                add("file_changed", format!("`{}` is another one now", path.display()));
            }
        }
        for path in files.iter().filter(|path| !self.files.contains_key(*path)) {
            add("file_added", format!("`{}` belongs to the config now", path.display()));
        }
        if self.config_hash != config_hash {
            add("config_changed", format!("the config is {config_hash}, not {}", self.config_hash));
        }
        for hook in self.hooks.iter().filter(|hook| hook.state == State::Dead) {
            let how = hook.how.as_deref().unwrap_or_default();
            let detail = hook.detail.as_deref().unwrap_or_default();
            add("dead", format!("`{}` is dead: {how}: {detail}", hook.id));
        }
        problems
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Hash::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("sha256:{}", HEXLOWER.encode(&hash.finalize()))),
            read => hash.update(buffer.get(..read).unwrap_or_default()),
        }
    }
}
