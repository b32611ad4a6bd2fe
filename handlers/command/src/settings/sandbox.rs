//! What a program may reach: `sandbox = { read, write, network }`, enforced by Landlock.
//!
//! Landlock is a feature of the Linux kernel by which a process gives up rights for itself and for all
//! that it starts; it needs no privileges. The shim does it in the thread that starts the program, so
//! the shim itself keeps the rights that it needs to end the program.
//!
//! | right | where |
//! |---|---|
//! | read, execute | folders of the system, the files of the hook, `read` |
//! | read, write, create, delete | `write` |
//! | read, write, no execute | `/dev/null`, `/dev/zero`, `/dev/full`, `/dev/random`, `/dev/urandom` |
//! | connect and bind TCP ports | nowhere, unless `network = true` |
//!
//! On Linux 6.12 or later signals and abstract Unix sockets are kept inside as well. What a kernel
//! cannot enforce is not left out in silence: each run fails as `untrusted`, and `check` warns of it.

use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

/// The folder of the session, in `read` and `write`.
const CWD: &str = "$cwd";

/// The folders that every program needs to start: it may read and execute here.
const SYSTEM: &[&str] = &["/bin", "/etc", "/lib", "/lib32", "/lib64", "/sbin", "/usr"];

/// The devices that every program may read and write.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// What Landlock does not restrict. The owner of a file may change what the file says about itself
/// outside `write`, too.
pub(crate) const NOT_COVERED: &str = "modes, owners and times of files (chmod, chown, utime), UDP, \
                                      Unix sockets";

/// The rights over files that are handled. Kernels that know fewer are refused.
const FILE_RIGHTS: ABI = ABI::V3;

/// The version that knows network rights.
const NETWORK_RIGHTS: ABI = ABI::V4;

/// What a program may reach beside the system's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sandbox {
    /// Where the program may read and execute.
    pub(crate) read: Vec<PathBuf>,
    /// Where it may do everything.
    pub(crate) write: Vec<PathBuf>,
    /// Whether it may use TCP (default: no).
    pub(crate) network: bool,
}

impl Sandbox {
    /// Reads `sandbox`. Returns `None` if there is none.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path) -> Option<Self> {
        let mut table = settings.table("sandbox")?;
        let mut read_paths = |key: &'static str| -> Vec<PathBuf> {
            let listed = table.list(key).unwrap_or_default();
            let mut paths = Vec::new();
            for path in listed {
                let found = if path == CWD { PathBuf::from(CWD) } else { base.join(path) };
                if path != CWD && !found.exists() {
                    table.invalid(key, format!("`{}` is not there", found.display()));
                }
                paths.push(found);
            }
            paths
        };
        let (read, write) = (read_paths("read"), read_paths("write"));
        let network = table.flag("network").unwrap_or_default();
        settings.absorb(table.finish());
        Some(Self { read, write, network })
    }

    /// Returns the sandbox of one run, in which the folder of the session is known and the files of
    /// the hook can be read.
    pub(crate) fn for_run<'a>(
        &self,
        cwd: &Path,
        files: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Self {
        let real = |path: &PathBuf| {
            if path == Path::new(CWD) { cwd.to_owned() } else { path.clone() }
        };
        let mut read: Vec<_> = self.read.iter().map(real).collect();
        read.extend(files.into_iter().cloned());
        Self { read, write: self.write.iter().map(real).collect(), network: self.network }
    }

    /// Returns whether the kernel can enforce it.
    pub(crate) fn is_supported(&self) -> bool {
        self.create_ruleset().is_ok()
    }

    fn create_ruleset(&self) -> Result<RulesetCreated, RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(FILE_RIGHTS))?;
        let ruleset = if self.network {
            ruleset
        } else {
            ruleset.handle_access(AccessNet::from_all(NETWORK_RIGHTS))?
        };
        // Newer kernels keep signals and abstract sockets inside as well.
        ruleset.set_compatibility(CompatLevel::BestEffort).scope(BitFlags::<Scope>::all())?.create()
    }

    /// Restricts this thread, and with it all processes that it starts from now on.
    ///
    /// # Errors
    /// If the kernel cannot enforce all of it. The thread is not restricted then.
    pub(crate) fn enforce(&self) -> Result<(), RulesetError> {
        let reading = AccessFs::from_read(FILE_RIGHTS);
        let all = AccessFs::from_all(FILE_RIGHTS);
        let of_paths = |paths: &[PathBuf], access| {
            paths.iter().filter_map(move |path| rule_for(path, access)).collect::<Vec<_>>()
        };
        let of_names = |paths: &[&str], access| {
            paths.iter().filter_map(|path| rule_for(Path::new(path), access)).collect::<Vec<_>>()
        };
        let rules = [
            of_names(SYSTEM, reading),
            of_names(DEVICES, AccessFs::from_file(FILE_RIGHTS) & !AccessFs::Execute),
            of_paths(&self.read, reading),
            of_paths(&self.write, all),
        ];
        self.create_ruleset()?
            .add_rules(rules.into_iter().flatten().map(Ok::<_, RulesetError>))?
            .restrict_self()?;
        Ok(())
    }
}

/// Returns a rule that grants access below a path; `None` if the path does not exist, since then there
/// is nothing to grant.
fn rule_for(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<PathFd>> {
    let opened = PathFd::new(path).ok()?;
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(FILE_RIGHTS) };
    Some(PathBeneath::new(opened, access))
}
