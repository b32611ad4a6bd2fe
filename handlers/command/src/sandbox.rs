//! What a program may reach, enforced by Landlock.

use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};

/// Stands for the folder of the session.
const CWD: &str = "$cwd";

/// What any program needs to start: it may read and execute here.
const SYSTEM: &[&str] = &["/bin", "/etc", "/lib", "/lib32", "/lib64", "/sbin", "/usr"];

/// What any program may read and write.
const DEVICES: &[&str] = &["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// What Landlock does not restrict: what a file says about itself may be changed outside `write`,
/// too, by whoever owns the file.
pub(crate) const NOT_COVERED: &str = "modes, owners and times of files (chmod, chown, utime), UDP, \
                                      Unix sockets";

/// The rights over files that are handled. Kernels that know fewer are refused.
const FILES: ABI = ABI::V3;

/// The version that knows network rights.
const NETWORK: ABI = ABI::V4;

/// What a program may reach beside the system's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sandbox {
    pub(crate) read: Vec<PathBuf>,
    pub(crate) write: Vec<PathBuf>,
    pub(crate) network: bool,
}

impl Sandbox {
    /// Reads `sandbox`.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path) -> Option<Self> {
        let mut table = settings.table("sandbox")?;
        let mut paths = |key: &'static str| -> Vec<PathBuf> {
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
        let (read, write) = (paths("read"), paths("write"));
        let network = table.flag("network").unwrap_or_default();
        settings.absorb(table.finish());
        Some(Self { read, write, network })
    }

    /// The sandbox of one run, in which the folder of the session is known and the program can be
    /// read.
    pub(crate) fn of_run<'a>(
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

    /// Whether the kernel can enforce it.
    pub(crate) fn is_supported(&self) -> bool {
        self.created().is_ok()
    }

    fn created(&self) -> Result<RulesetCreated, RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(FILES))?;
        let ruleset = if self.network {
            ruleset
        } else {
            ruleset.handle_access(AccessNet::from_all(NETWORK))?
        };
        // Newer kernels keep signals and abstract sockets inside as well.
        ruleset.set_compatibility(CompatLevel::BestEffort).scope(BitFlags::<Scope>::all())?.create()
    }

    /// Restricts this thread, and with it all processes that it starts from now on.
    pub(crate) fn enforce(&self) -> Result<(), RulesetError> {
        let reading = AccessFs::from_read(FILES);
        let all = AccessFs::from_all(FILES);
        let paths = |paths: &[PathBuf], access| {
            paths.iter().filter_map(move |path| rule(path, access)).collect::<Vec<_>>()
        };
        let listed = |paths: &[&str], access| {
            paths.iter().filter_map(|path| rule(Path::new(path), access)).collect::<Vec<_>>()
        };
        let rules = [
            listed(SYSTEM, reading),
            listed(DEVICES, AccessFs::from_file(FILES) & !AccessFs::Execute),
            paths(&self.read, reading),
            paths(&self.write, all),
        ];
        self.created()?
            .add_rules(rules.into_iter().flatten().map(Ok::<_, RulesetError>))?
            .restrict_self()?;
        Ok(())
    }
}

/// Nobody needs a right to what is not there.
fn rule(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<PathFd>> {
    let opened = PathFd::new(path).ok()?;
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(FILES) };
    Some(PathBeneath::new(opened, access))
}
