//! How long a run took, and what the smallest programs bring that embed the systems: what the script `run` notes.

mod units;

use std::path::Path;

use serde::{Deserialize, Serialize};

use self::units::Units;

use crate::error::PeersError;

/// What the script notes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Built {
    /// The parts of the run with their seconds, in order.
    pub parts: Vec<(String, u64)>,
    /// The programs, in the order of the page.
    pub footprints: Vec<Footprint>,
}

/// A program that embeds a system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Footprint {
    /// What it is.
    pub name: String,
    /// How many packages it is built of.
    pub packages: u64,
    /// The seconds of the processor that it takes to build all of them; `None` if some were built before the run.
    #[serde(default)]
    pub processor_seconds: Option<f64>,
    /// How large the program is without its symbols.
    pub bytes: u64,
}

/// The features of the package of the programs, and what they stand for.
const PROGRAMS: [(&str, &str); 8] = [
    ("engine", "hookgate, the engine alone"),
    ("builtin", "hookgate, with builtins"),
    ("command", "hookgate, with programs"),
    ("http", "hookgate, with HTTP"),
    ("prompt", "hookgate, with judges"),
    ("defect", "defect"),
    ("cpex", "CPEX"),
    ("meerkat", "Meerkat"),
];

impl Built {
    /// Reads notes, a line each, with tabs:
    ///
    /// - `part NAME SECONDS`
    /// - `rustc HASH SECONDS SECONDS`: what the processor took for a call of rustc, in the program and in the system
    /// - `program FEATURE PACKAGES BYTES FILE MESSAGES`: the file of a program with the hash in its name, and the one
    ///   with what cargo said of its units, which `read` reads
    ///
    /// # Errors
    /// A line is another one, or a file cannot be read.
    pub fn parse(
        notes: &str,
        read: impl Fn(&Path) -> Result<String, PeersError>,
    ) -> Result<Self, PeersError> {
        let mut built = Self::default();
        let mut units = Units::default();
        for line in notes.lines() {
            let words: Vec<_> = line.split('\t').collect();
            let known = match *words {
                ["part", name, seconds] => {
                    seconds.parse().ok().map(|seconds| built.parts.push((name.to_owned(), seconds)))
                }
                ["rustc", hash, user, system] => units.note(hash, user, system),
                ["program", feature, packages, bytes, file, messages] => {
                    let seconds = units.seconds(&read(messages.as_ref())?, file.as_ref())?;
                    program(feature, packages, seconds, bytes)
                        .map(|program| built.footprints.push(program))
                }
                _ => None,
            };
            known.ok_or_else(|| PeersError::Unbuilt(line.to_owned()))?;
        }
        let place =
            |program: &Footprint| PROGRAMS.iter().position(|(_, name)| *name == program.name);
        built.footprints.sort_by_key(place);
        Ok(built)
    }
}

/// Returns a program.
fn program(feature: &str, packages: &str, seconds: Option<f64>, bytes: &str) -> Option<Footprint> {
    let (_, name) = PROGRAMS.iter().find(|(known, _)| *known == feature)?;
    Some(Footprint {
        name: (*name).to_owned(),
        packages: packages.parse().ok()?,
        processor_seconds: seconds,
        bytes: bytes.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: &str =
        "rustc\t00000000000000aa\t1.250\t0.250\nrustc\t00000000000000bb\t2.000\t0.500\n";

    /// What cargo says of a package and of the program that it is built into.
    #[expect(clippy::unnecessary_wraps, reason = "what is read can fail elsewhere")]
    fn messages(_: &Path) -> Result<String, PeersError> {
        let package = r#"{"reason":"compiler-artifact","filenames":["/t/deps/libserde-00000000000000aa.rlib"],"executable":null}"#;
        let program = r#"{"reason":"compiler-artifact","filenames":["/t/with-cpex"],"executable":"/t/with-cpex"}"#;
        let end = r#"{"reason":"build-finished","success":true}"#;
        Ok(format!("{package}\n{program}\n{end}\n"))
    }

    #[test]
    fn notes_are_read_and_programs_are_in_the_order_of_the_page() {
        let programs = "program\tmeerkat\t236\t900\t/t/deps/with_meerkat-00000000000000cc\tmeerkat.json\n\
                        program\tcpex\t58\t700\t/t/deps/with_cpex-00000000000000bb\tcpex.json\n";
        let built =
            Built::parse(&format!("part\tbuilding\t300\n{UNITS}{programs}"), messages).unwrap();
        let program = |name: &str, packages, processor_seconds, bytes| Footprint {
            name: name.to_owned(),
            packages,
            processor_seconds,
            bytes,
        };
        // Nothing was noted of the program with Meerkat, so it is not known what that took.
        let expected =
            vec![program("CPEX", 58, Some(4.0), 700), program("Meerkat", 236, None, 900)];
        assert_eq!(
            built,
            Built { parts: vec![("building".to_owned(), 300)], footprints: expected }
        );
    }

    #[test]
    fn a_line_that_is_not_understood_is_an_error() {
        for notes in [
            "program\tnew\t1\t1\tfile\tmessages",
            "program\tengine\t43\tlarge\tfile\tmessages",
            "part\tbuilding",
            "rustc\t00000000000000aa\tsoon\t0.250",
        ] {
            assert!(Built::parse(notes, messages).is_err(), "{notes}");
        }
        let broken = |_: &Path| Ok("error: no".to_owned());
        assert!(Built::parse("program\tengine\t1\t1\tfile\tmessages", broken).is_err());
    }
}
