//! What a program may use: `limits = { cpu, memory, files, processes }`.
//!
//! They are resource limits of the kernel (`prlimit`), inherited by all that the program starts, each
//! process on its own:
//!
//! | key | kernel | beyond it |
//! |---|---|---|
//! | `cpu` | `RLIMIT_CPU`, in whole seconds | `SIGXCPU`, and `SIGKILL` a second later |
//! | `memory` | `RLIMIT_DATA`, in bytes | allocations fail (`MemoryError`, `ENOMEM`) |
//! | `files` | `RLIMIT_NOFILE` | `open` fails (`EMFILE`) |
//! | `processes` | `RLIMIT_NPROC` of the user | `fork` fails (`EAGAIN`); does not bind root |
//!
//! With any limit, core dumps are off too. The shim sets them before it starts the program; without a
//! shim the host sets them on the running child, so they hold from a moment after the start.

use std::time::Duration;

use hookgate_contract::settings::Settings;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// The resource limits of a program; a field that is `None` is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ResourceLimits {
    /// Seconds of processor time.
    cpu: Option<u64>,
    /// Bytes of memory that the program can write to.
    memory: Option<u64>,
    /// Open files.
    files: Option<u64>,
    /// Processes and threads of the user.
    processes: Option<u64>,
}

impl ResourceLimits {
    /// Reads `limits`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let Some(mut table) = settings.table("limits") else { return Self::default() };
        let cpu = table.duration("cpu").and_then(whole_seconds);
        let memory = table.size("memory").and_then(|bytes| u64::try_from(bytes).ok());
        let limits = Self {
            cpu,
            memory,
            files: read_count(&mut table, "files"),
            processes: read_count(&mut table, "processes"),
        };
        settings.absorb(table.finish());
        limits
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether a limit is set that does not bind the user of this process.
    pub(crate) fn is_ineffective(&self) -> bool {
        self.processes.is_some() && rustix::process::geteuid().is_root()
    }

    /// Limits a process that was just started.
    ///
    /// # Errors
    /// If the kernel refuses, as it does above the limits of the host itself.
    pub(crate) fn apply(&self, pid: Pid) -> std::io::Result<()> {
        self.apply_to(Some(pid))
    }

    /// Limits the calling process.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn apply_to_self(&self) -> std::io::Result<()> {
        self.apply_to(None)
    }

    fn apply_to(&self, pid: Option<Pid>) -> std::io::Result<()> {
        for (resource, limit, more) in self.by_resource() {
            let Some(limit) = limit else { continue };
            // Of processor time the first limit is a signal that says so, the second kills.
            let limit = Rlimit { current: Some(limit), maximum: Some(limit.saturating_add(more)) };
            prlimit(pid, resource, limit)?;
        }
        if !self.is_empty() {
            // A program that runs into a limit need not write its memory to the disk.
            let none = Rlimit { current: Some(0), maximum: Some(0) };
            prlimit(pid, Resource::Core, none)?;
        }
        Ok(())
    }

    /// Returns each resource with its limit and what the hard limit has more.
    const fn by_resource(&self) -> [(Resource, Option<u64>, u64); 4] {
        [
            (Resource::Cpu, self.cpu, 1),
            (Resource::Data, self.memory, 0),
            (Resource::Nofile, self.files, 0),
            (Resource::Nproc, self.processes, 0),
        ]
    }

    /// Writes the limits as one argument of the shim: `5,536870912,64,`.
    pub(crate) fn to_arg(self) -> String {
        self.by_resource()
            .map(|(_, limit, _)| limit.map_or(String::new(), |limit| limit.to_string()))
            .join(",")
    }

    /// Reads the argument that [`ResourceLimits::to_arg`] wrote.
    pub(crate) fn from_arg(arg: &str) -> Option<Self> {
        let mut all = arg.split(',').map(|limit| match limit {
            "" => Some(None),
            limit => limit.parse().ok().map(Some),
        });
        let limits = Self {
            cpu: all.next()??,
            memory: all.next()??,
            files: all.next()??,
            processes: all.next()??,
        };
        all.next().is_none().then_some(limits)
    }
}

/// Reads how many there may be, 1 or more.
fn read_count(table: &mut Settings<'_>, key: &'static str) -> Option<u64> {
    table.count(key, 1..=usize::MAX).and_then(|count| u64::try_from(count).ok())
}

/// Rounds a duration up to whole seconds, which is what the kernel counts in.
fn whole_seconds(duration: Duration) -> Option<u64> {
    u64::try_from(duration.as_millis().div_ceil(1000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_the_way_through_an_argument() {
        for limits in [
            ResourceLimits::default(),
            ResourceLimits { cpu: Some(5), files: Some(64), ..ResourceLimits::default() },
            ResourceLimits {
                memory: Some(1 << 40),
                processes: Some(1),
                ..ResourceLimits::default()
            },
        ] {
            assert_eq!(ResourceLimits::from_arg(&limits.to_arg()), Some(limits));
        }
        assert_eq!(ResourceLimits::from_arg("1,2,3"), None);
        assert_eq!(ResourceLimits::from_arg("a,,,"), None);
    }

    #[test]
    fn processor_time_is_rounded_up_to_seconds() {
        let rounded = |millis| whole_seconds(Duration::from_millis(millis));
        assert_eq!([1, 1000, 1001].map(rounded), [Some(1), Some(1), Some(2)]);
    }
}
