//! What the host tells the shim, as arguments.
//!
//! ```text
//! host __hookgate-shim 4711 200 5,,64, sandbox read /etc/x write /tmp/guard -- /usr/bin/python3 guard.py
//!                      │    │   │      │                                       └ the program
//!                      │    │   │      └ the sandbox, if there is one
//!                      │    │   └ resource limits: cpu, memory, files, processes
//!                      │    └ grace period in ms
//!                      └ pid of the host
//! ```
//!
//! Arguments and not a pipe, because they are there when the process starts and need no descriptor. They
//! hold no secrets: any user may read them in `/proc`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use super::FIRST_ARGUMENT;
use crate::settings::{ResourceLimits, Sandbox};

/// Ends the options of the shim; the program and its arguments follow.
const END: &str = "--";

/// What the shim is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShimArgs {
    /// The process whose death ends everything.
    pub(crate) host: u32,
    /// How long the program may take to end after TERM.
    pub(crate) grace: Duration,
    pub(crate) limits: ResourceLimits,
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl ShimArgs {
    /// Returns the arguments of the shim.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![
            FIRST_ARGUMENT.into(),
            self.host.to_string().into(),
            self.grace.as_millis().to_string().into(),
            self.limits.to_arg().into(),
        ];
        if let Some(sandbox) = &self.sandbox {
            args.push(if sandbox.network { "sandbox+network" } else { "sandbox" }.into());
            for (name, paths) in [("read", &sandbox.read), ("write", &sandbox.write)] {
                for path in paths {
                    args.extend([name.into(), path.into()]);
                }
            }
        }
        args.push(END.into());
        args.push(self.program.clone());
        args.extend(self.args.iter().cloned());
        args
    }

    /// Reads the arguments behind the first one; `None` if they were not made by
    /// [`ShimArgs::to_args`].
    pub(super) fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut number = || args.next()?.to_str()?.parse::<u64>().ok();
        let host = u32::try_from(number()?).ok()?;
        let grace = Duration::from_millis(number()?);
        let limits = ResourceLimits::from_arg(args.next()?.to_str()?)?;
        let mut sandbox = None::<Sandbox>;
        loop {
            let name = args.next()?;
            let mut path = || args.next().map(PathBuf::from);
            match name.to_str()? {
                END => break,
                "sandbox" => sandbox = Some(Sandbox::default()),
                "sandbox+network" => {
                    sandbox = Some(Sandbox { network: true, ..Sandbox::default() });
                }
                "read" => sandbox.as_mut()?.read.push(path()?),
                "write" => sandbox.as_mut()?.write.push(path()?),
                _ => return None,
            }
        }
        let program = args.next().filter(|program| program != OsStr::new(""))?;
        Some(Self { host, grace, limits, sandbox, program, args: args.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_the_way_through_arguments() {
        let plain = ShimArgs {
            host: 7,
            grace: Duration::from_millis(200),
            limits: ResourceLimits::default(),
            sandbox: None,
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "--".into(), "sandbox".into()],
        };
        let sandbox = Sandbox {
            read: vec!["/a b".into(), "write".into()],
            write: vec!["--".into()],
            network: true,
        };
        for task in [plain.clone(), ShimArgs { sandbox: Some(sandbox), ..plain }] {
            let args = task.to_args().into_iter().skip(1);
            assert_eq!(ShimArgs::parse(args), Some(task));
        }
        assert_eq!(ShimArgs::parse(["1".into()].into_iter()), None);
    }
}
