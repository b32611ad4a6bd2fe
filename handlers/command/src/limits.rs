//! What a program may use.

use std::time::Duration;

use hookgate_contract::settings::Settings;
use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// The limits of a program; what is not set is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Seconds of processor time.
    cpu: Option<u64>,
    /// Bytes of memory that it can write to.
    memory: Option<u64>,
    /// Open files.
    files: Option<u64>,
    /// Processes and threads of the user.
    processes: Option<u64>,
}

impl Limits {
    /// Reads `limits`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let Some(mut table) = settings.table("limits") else { return Self::default() };
        let cpu = table.duration("cpu").and_then(seconds);
        let memory = table.size("memory").and_then(|bytes| u64::try_from(bytes).ok());
        let limits = Self {
            cpu,
            memory,
            files: count(&mut table, "files"),
            processes: count(&mut table, "processes"),
        };
        settings.absorb(table.finish());
        limits
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a limit was asked for that does not bind the user of this process.
    pub(crate) fn is_void(&self) -> bool {
        self.processes.is_some() && rustix::process::geteuid().is_root()
    }

    /// Limits a process that was just started, or this one.
    pub(crate) fn set(&self, pid: Option<Pid>) -> std::io::Result<()> {
        for (resource, limit, more) in self.all() {
            let Some(limit) = limit else { continue };
            // Of processor time the first limit is a signal that says so, the second kills.
            let limit = Rlimit { current: Some(limit), maximum: Some(limit.saturating_add(more)) };
            prlimit(pid, resource, limit)?;
        }
        if !self.is_none() {
            // What runs into a limit need not write its memory to the disk.
            let none = Rlimit { current: Some(0), maximum: Some(0) };
            prlimit(pid, Resource::Core, none)?;
        }
        Ok(())
    }

    const fn all(&self) -> [(Resource, Option<u64>, u64); 4] {
        [
            (Resource::Cpu, self.cpu, 1),
            (Resource::Data, self.memory, 0),
            (Resource::Nofile, self.files, 0),
            (Resource::Nproc, self.processes, 0),
        ]
    }

    /// The limits as one argument.
    pub(crate) fn to_arg(self) -> String {
        self.all()
            .map(|(_, limit, _)| limit.map_or(String::new(), |limit| limit.to_string()))
            .join(",")
    }

    /// The limits of an argument.
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

/// The whole seconds in which a duration fits.
fn seconds(duration: Duration) -> Option<u64> {
    u64::try_from(duration.as_millis().div_ceil(1000)).ok()
}

fn count(settings: &mut Settings<'_>, key: &'static str) -> Option<u64> {
    let number = settings.integer(key)?;
    match u64::try_from(number) {
        Ok(number) if number > 0 => Some(number),
        _ => {
            settings.invalid(key, "must be 1 or more");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_survive_the_way_through_an_argument() {
        for limits in [
            Limits::default(),
            Limits { cpu: Some(5), files: Some(64), ..Limits::default() },
            Limits { memory: Some(1 << 40), processes: Some(1), ..Limits::default() },
        ] {
            assert_eq!(Limits::from_arg(&limits.to_arg()), Some(limits));
        }
        assert_eq!(Limits::from_arg("1,2,3"), None);
        assert_eq!(Limits::from_arg("a,,,"), None);
    }
}
