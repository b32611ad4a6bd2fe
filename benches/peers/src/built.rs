//! How long a run took, and what the smallest programs bring that embed the systems: what the script `run` notes.

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// What it is.
    pub name: String,
    /// How many packages it is built of.
    pub packages: u64,
    /// How long it took to build all of them; `None` if some were built already, or if there was no time.
    pub seconds: Option<u64>,
    /// How large the program is without its symbols; `None` if there was no time.
    pub bytes: Option<u64>,
}

/// The features of the package of the programs, and what they stand for.
const PROGRAMS: [(&str, &str); 9] = [
    ("engine", "hookgate, the engine alone"),
    ("builtin", "hookgate, with builtins"),
    ("command", "hookgate, with programs"),
    ("http", "hookgate, with HTTP"),
    ("prompt", "hookgate, with judges"),
    ("all", "hookgate, with all handlers"),
    ("defect", "defect"),
    ("cpex", "CPEX"),
    ("meerkat", "Meerkat"),
];

impl Built {
    /// Reads notes, a line each, with tabs: `part NAME SECONDS` and `program FEATURE PACKAGES SECONDS BYTES`, in which
    /// `-` stands for what is not known.
    ///
    /// # Errors
    /// A line is another one.
    pub fn parse(notes: &str) -> Result<Self, PeersError> {
        let mut built = Self::default();
        let mut programs = Vec::new();
        for line in notes.lines() {
            let words: Vec<_> = line.split('\t').collect();
            let known = match *words {
                ["part", name, seconds] => {
                    seconds.parse().ok().map(|seconds| built.parts.push((name.to_owned(), seconds)))
                }
                ["program", feature, packages, seconds, bytes] => {
                    program(feature, packages, seconds, bytes).map(|program| programs.push(program))
                }
                _ => None,
            };
            known.ok_or_else(|| PeersError::Unbuilt(line.to_owned()))?;
        }
        built.footprints = programs;
        built.sort();
        Ok(built)
    }

    /// Adds what was noted later: programs take the place of those of the same name, and the parts stay those of the
    /// run that measured.
    #[must_use]
    pub fn with(mut self, later: Self) -> Self {
        if !later.parts.is_empty() {
            self.parts = later.parts;
        }
        self.footprints
            .retain(|earlier| later.footprints.iter().all(|new| new.name != earlier.name));
        self.footprints.extend(later.footprints);
        self.sort();
        self
    }

    fn sort(&mut self) {
        let place =
            |program: &Footprint| PROGRAMS.iter().position(|(_, name)| *name == program.name);
        self.footprints.sort_by_key(place);
    }
}

/// Returns a program.
fn program(feature: &str, packages: &str, seconds: &str, bytes: &str) -> Option<Footprint> {
    let (_, name) = PROGRAMS.iter().find(|(known, _)| *known == feature)?;
    let known = |word: &str| if word == "-" { Some(None) } else { word.parse().ok().map(Some) };
    let (seconds, bytes) = (known(seconds)?, known(bytes)?);
    let packages = packages.parse().ok()?;
    Some(Footprint { name: (*name).to_owned(), packages, seconds, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_and_programs_are_in_the_order_of_the_page() {
        let notes =
            "part\tbuilding\t300\nprogram\tmeerkat\t236\t-\t900\nprogram\tengine\t43\t50\t-\n";
        let built = Built::parse(notes).unwrap();
        let program = |name: &str, packages, seconds, bytes| Footprint {
            name: name.to_owned(),
            packages,
            seconds,
            bytes,
        };
        let expected = vec![
            program("hookgate, the engine alone", 43, Some(50), None),
            program("Meerkat", 236, None, Some(900)),
        ];
        assert_eq!(
            built,
            Built { parts: vec![("building".to_owned(), 300)], footprints: expected }
        );
        let later = Built::parse("program\tengine\t44\t51\t7\nprogram\tcpex\t1\t2\t3\n").unwrap();
        let expected = vec![
            program("hookgate, the engine alone", 44, Some(51), Some(7)),
            program("CPEX", 1, Some(2), Some(3)),
            program("Meerkat", 236, None, Some(900)),
        ];
        let both = built.with(later);
        assert_eq!((both.parts.len(), both.footprints), (1, expected));
    }

    #[test]
    fn a_line_that_is_not_understood_is_an_error() {
        for notes in ["program\tnew\t1\t1\t1", "part\tbuilding", "program\tengine\t43\tsoon\t-"] {
            assert!(Built::parse(notes).is_err(), "{notes}");
        }
    }
}
