//! What the host tells the shim to do, as arguments.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use super::WORD;
use crate::limits::Limits;
use crate::sandbox::Sandbox;

/// Ends the orders; the program and its arguments follow.
const END: &str = "--";

/// What the shim is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Orders {
    /// The process whose death ends everything.
    pub(crate) host: u32,
    pub(crate) grace: Duration,
    pub(crate) limits: Limits,
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl Orders {
    /// The arguments of the shim.
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec![
            WORD.into(),
            self.host.to_string().into(),
            self.grace.as_millis().to_string().into(),
            self.limits.to_arg().into(),
        ];
        if let Some(sandbox) = &self.sandbox {
            args.push(if sandbox.network { "sandbox+network" } else { "sandbox" }.into());
            for (word, paths) in [("read", &sandbox.read), ("write", &sandbox.write)] {
                for path in paths {
                    args.extend([word.into(), path.into()]);
                }
            }
        }
        args.push(END.into());
        args.push(self.program.clone());
        args.extend(self.args.iter().cloned());
        args
    }

    /// Reads the arguments behind the word.
    pub(super) fn read(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut number = || args.next()?.to_str()?.parse::<u64>().ok();
        let host = u32::try_from(number()?).ok()?;
        let grace = Duration::from_millis(number()?);
        let limits = Limits::from_arg(args.next()?.to_str()?)?;
        let mut sandbox = None::<Sandbox>;
        loop {
            let word = args.next()?;
            let mut path = || args.next().map(PathBuf::from);
            match word.to_str()? {
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
    fn orders_survive_the_way_through_arguments() {
        let plain = Orders {
            host: 7,
            grace: Duration::from_millis(200),
            limits: Limits::default(),
            sandbox: None,
            program: "/bin/sh".into(),
            args: vec!["-c".into(), "--".into(), "sandbox".into()],
        };
        let sandbox = Sandbox {
            read: vec!["/a b".into(), "write".into()],
            write: vec!["--".into()],
            network: true,
        };
        for orders in [plain.clone(), Orders { sandbox: Some(sandbox), ..plain }] {
            let args = orders.to_args().into_iter().skip(1);
            assert_eq!(Orders::read(args), Some(orders));
        }
        assert_eq!(Orders::read(["1".into()].into_iter()), None);
    }
}
