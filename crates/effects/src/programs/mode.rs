//! The mode that a program gives to files: `chmod u+s`, `install -m 4755`, `cp -p /bin/su x`.

use super::reading::Reading;
use crate::options::Given;
use crate::paths::absolute;
use crate::run::Run;
use crate::word::Word;

/// A part of a mode that a policy asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeBit {
    /// Who starts the program has the rights of its owner.
    SetUid,
    /// Who starts the program has the rights of its group.
    SetGid,
    /// Every user of the machine may write it.
    WorldWritable,
}

impl ModeBit {
    /// The names, and what they mean.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("setuid", Self::SetUid),
        ("setgid", Self::SetGid),
        ("world-writable", Self::WorldWritable),
    ];

    /// Returns the part of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, bit)| *bit)
    }

    const fn bit(self) -> u32 {
        match self {
            Self::SetUid => 0o4000,
            Self::SetGid => 0o2000,
            Self::WorldWritable => 0o0002,
        }
    }
}

/// The programs that give a mode to a file.
pub(crate) const MODE_PROGRAMS: &str = "chmod install mkdir mkfifo mknod rsync cp ln \
    gchmod lchmod ginstall gmkdir gcp gln link";

/// Returns whether a run gives one of these parts of a mode to a file; `None` if one cannot tell.
pub(crate) fn gives(run: &Run, reading: &Reading<'_>, bits: &[ModeBit]) -> Option<bool> {
    let values = |names: &[&str]| -> Vec<Word> {
        let each = names.iter().flat_map(|name| reading.options(name).flatten());
        each.cloned().collect()
    };
    let has = |names: &[&str]| names.iter().any(|name| reading.options(name).next().is_some());
    let written = |words: &[Word]| any(words.iter().map(|word| written_mode(word, bits)));
    let all_but_last = || {
        let operands: Vec<&Word> = reading.operands().collect();
        let into = has(&["t", "target-directory"]);
        let count = if into { operands.len() } else { operands.len().saturating_sub(1) };
        let sources = operands.into_iter().take(count);
        Some(sources.into_iter().any(|source| mode_of_file(source, run, bits)))
    };
    match run.name().as_deref() {
        Some("chmod" | "gchmod" | "lchmod") => {
            let like = values(&["reference"]);
            if let Some(file) = like.last() {
                // A file that is not known may have any mode.
                return file.known().map(|_| mode_of_file(file, run, bits));
            }
            let Some(mode) = mode_of_chmod(run, reading) else {
                return if run.more_args { None } else { Some(false) };
            };
            written_mode(mode, bits)
        }
        Some("install" | "ginstall" | "mkdir" | "gmkdir" | "mkfifo" | "mknod") => {
            written(&values(&["m", "mode"]))
        }
        Some("rsync") => {
            let chmod = written(&values(&["chmod"]));
            if has(&["a", "archive", "p", "perms"]) {
                any([chmod, all_but_last()].into_iter())
            } else {
                chmod
            }
        }
        Some("cp" | "gcp") => {
            let keeps = |value: Option<&Word>| {
                let value = value.map_or_else(|| "mode".to_owned(), Word::written);
                value.split(',').any(|one| "mode".starts_with(one) || "all".starts_with(one))
            };
            let preserves = has(&["a", "archive", "p"]) || reading.options("preserve").any(keeps);
            if preserves { all_but_last() } else { Some(false) }
        }
        Some("ln" | "gln" | "link") if !has(&["s", "symbolic"]) => all_but_last(),
        _ => Some(false),
    }
}

/// Whether one answer is yes; if not, whether one cannot tell.
fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for answer in answers {
        match answer {
            Some(true) => return answer,
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

/// The word of `chmod` that says the mode. One that begins with `-` looks like letters of options: `-w,u+s`.
fn mode_of_chmod<'r>(run: &'r Run, reading: &Reading<'r>) -> Option<&'r Word> {
    let operand = || reading.operands().next();
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    let dashed = reading.given.iter().take(end).find_map(|given| match given {
        Given::Option { long: false, listed: false, at, .. } => run.args.get(*at),
        _ => None,
    });
    dashed.or_else(operand)
}

/// Whether a mode as it is written has one of the parts.
fn written_mode(mode: &Word, bits: &[ModeBit]) -> Option<bool> {
    let mode = mode.known()?;
    Some(bits.iter().any(|bit| mode.split(',').any(|one| clause(one, *bit))))
}

/// Whether one clause of a mode sets a part: `4755`, `=6755`, `u=rwxs`, `a+x`, `u-w+s`; `Du+s` of rsync.
fn clause(clause: &str, bit: ModeBit) -> bool {
    let clause = clause.trim_start_matches(['D', 'F']);
    let digits = clause.trim_start_matches(['+', '-', '=']);
    if digits.bytes().all(|byte| matches!(byte, b'0'..=b'7')) && !digits.is_empty() {
        let value = u32::from_str_radix(digits, 8).unwrap_or_default();
        return value & bit.bit() != 0 && !clause.starts_with('-');
    }
    let start = clause.find(['+', '-', '=']).unwrap_or(clause.len());
    let (who, mut rest) = clause.split_at(start);
    let is_meant = match bit {
        ModeBit::SetUid => who.is_empty() || who.contains(['u', 'a']),
        ModeBit::SetGid => who.is_empty() || who.contains(['g', 'a']),
        // Without a letter the mask of the user counts, which has no such right.
        ModeBit::WorldWritable => who.contains(['o', 'a']),
    };
    let letter = if bit == ModeBit::WorldWritable { 'w' } else { 's' };
    while let Some(sign) = rest.chars().next() {
        let after = rest.get(sign.len_utf8()..).unwrap_or_default();
        let end = after.find(['+', '-', '=']).unwrap_or(after.len());
        let (letters, next) = after.split_at(end);
        if is_meant && sign != '-' && letters.contains(letter) {
            return true;
        }
        rest = next;
    }
    false
}

/// Whether a file of the session has one of the parts. This looks at the disk: a mode that is taken over
/// stands nowhere else.
fn mode_of_file(file: &Word, run: &Run, bits: &[ModeBit]) -> bool {
    let path = absolute(file, run.cwd.as_deref());
    let Some(path) = path.known() else { return false };
    let behind = run.files.program(&Word::text(path.clone()));
    let behind = behind.as_ref().and_then(Word::known);
    let paths = [Some(path.as_ref()), behind.as_deref()];
    paths.into_iter().flatten().any(|path| has_bit(path, bits))
}

#[cfg(unix)]
fn has_bit(path: &str, bits: &[ModeBit]) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file)
        .map_or(0, |found| found.permissions().mode());
    bits.iter().any(|bit| mode & bit.bit() != 0)
}

#[cfg(not(unix))]
const fn has_bit(_: &str, _: &[ModeBit]) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(mode: &str) -> Vec<ModeBit> {
        let all = ModeBit::NAMES.iter().map(|(_, bit)| *bit);
        all.filter(|bit| written_mode(&Word::text(mode), &[*bit]) == Some(true)).collect()
    }

    #[test]
    fn modes_are_read_and_not_listed() {
        for mode in ["4755", "04755", "=4755", "u+s", "u=rwxs", "a+x,u+s", "u-w+s", "Fu+s", "+4000"]
        {
            assert_eq!(set(mode), [ModeBit::SetUid], "{mode}");
        }
        for mode in ["6755", "+s", "+xs", "=6755", "ug+rws", "a+s", "a=rxs", "g+s,u=s"] {
            assert_eq!(set(mode), [ModeBit::SetUid, ModeBit::SetGid], "{mode}");
        }
        for mode in ["2755", "g+xs", "u+rw,g+s"] {
            assert_eq!(set(mode), [ModeBit::SetGid], "{mode}");
        }
        for mode in ["777", "0666", "a+w", "o=rw", "go+w", "+002"] {
            assert_eq!(set(mode), [ModeBit::WorldWritable], "{mode}");
        }
        for mode in [
            "755", "0644", "u-s", "-s", "-4000", "o+s", "u+x", "+w", "a-w", "+X", "", "u=g", "1755",
        ] {
            assert_eq!(set(mode), [], "{mode}");
        }
    }

    #[test]
    fn a_mode_that_is_not_known_may_be_any() {
        let mode = Word::unknown("$MODE", false);
        assert_eq!(written_mode(&mode, &[ModeBit::SetUid]), None);
    }
}
