//! `pwsh`, `powershell` and `cmd` as programs: which of their words are code.

use data_encoding::{BASE64, BASE64_NOPAD};

use super::builtins::joined;
use super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::run::{CodeFrom, Origin};
use crate::word::Word;

/// What an option of PowerShell says of the words after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// All of them are code.
    Code,
    /// The next one is code in Base64.
    Encoded,
    /// The next one is a file with code.
    File,
    /// The next one is a value.
    Value,
    /// Nothing.
    Nothing,
    /// It does nothing but say something of itself.
    Help,
}

/// Options with a value; any beginning of a name that fits no option before it stands for it.
const VALUES: &str = "executionpolicy ep windowstyle inputformat outputformat configurationname configurationfile \
    workingdirectory wd settingsfile custompipename psconsolefile encodedarguments ea";

fn option(written: &str) -> Follows {
    let name =
        written.trim_start_matches(['-', '/', '\u{2013}', '\u{2014}', '\u{2015}']).to_lowercase();
    let cuts = |whole: &str| !name.is_empty() && whole.starts_with(&name);
    if cuts("command") || name == "commandwithargs" || name == "cwa" {
        Follows::Code
    } else if cuts("encodedcommand") || name == "ec" {
        Follows::Encoded
    } else if cuts("file") {
        Follows::File
    } else if matches!(name.as_str(), "help" | "h" | "?") || name == "version" || name == "v" {
        Follows::Help
    } else if VALUES.split_whitespace().any(cuts) {
        Follows::Value
    } else {
        Follows::Nothing
    }
}

impl Walker<'_> {
    /// Goes through what PowerShell or cmd gets.
    pub(super) fn windows_shell(&mut self, name: &str, args: &[Word], by: usize) {
        if name.eq_ignore_ascii_case("cmd") {
            return self.cmd(args, by);
        }
        let mut at = 0;
        while let Some(word) = args.get(at) {
            let start = word.known_prefix();
            if !start.starts_with(['-', '/', '\u{2013}', '\u{2014}', '\u{2015}'])
                || start.contains("/.")
            {
                break;
            }
            at += 1;
            let rest = args.get(at..).unwrap_or_default();
            match option(&word.written()) {
                Follows::Nothing => {}
                Follows::Value => at += 1,
                Follows::Help => return,
                Follows::Code => return self.powershell_words(rest, by),
                Follows::Encoded => return self.powershell_encoded(rest.first(), by),
                Follows::File => return self.powershell_file(rest.first(), by),
            }
        }
        let rest = args.get(at..).unwrap_or_default();
        match rest.first() {
            None => self.powershell_input(by),
            Some(_) if name.eq_ignore_ascii_case("powershell") => self.powershell_words(rest, by),
            file => self.powershell_file(file, by),
        }
    }

    fn powershell_words(&mut self, words: &[Word], by: usize) {
        let code = joined(words.iter());
        if matches!(code.known().as_deref(), Some("-" | "")) {
            return self.powershell_input(by);
        }
        self.powershell_of(&code, by);
    }

    /// Code that nobody reads by eye counts as decoded, whatever it turns out to be.
    fn powershell_encoded(&mut self, word: Option<&Word>, by: usize) {
        if let Some(run) = self.runs.get_mut(by) {
            run.code_from = Some(CodeFrom::Decoded);
        }
        let name = self.name_of(by);
        match word.and_then(|word| decoded(&word.known()?)) {
            Some(code) => self.powershell_of(&Word::text(code), by),
            None => {
                let why = format!("the encoded code that `{name}` runs cannot be read");
                self.unclear(UnclearWhat::Program, why, Some(by));
            }
        }
    }

    fn powershell_file(&mut self, file: Option<&Word>, by: usize) {
        match file {
            None => self.powershell_input(by),
            Some(file) if file.known().as_deref() == Some("-") => self.powershell_input(by),
            Some(file) => {
                for code in self.script_texts(file) {
                    self.powershell_of(&code, by);
                }
                self.foreign_script(&super::powershell::paths::normal(file, None), by);
            }
        }
    }

    fn powershell_input(&mut self, by: usize) {
        match self.input.clone() {
            Input::Session => {}
            Input::Text(code) | Input::Piped(code) => self.powershell_of(&code, by),
            Input::From(..) => self.code_from_input(by, false, &[]),
        }
    }

    /// Goes through what another shell does for a program. What it runs is none of the programs that the
    /// command itself names.
    pub(super) fn foreign_shell(&mut self, name: &str, go: impl FnOnce(&mut Self)) {
        let first = self.runs.len();
        self.run_by(name, |walker| {
            walker.in_subshell(|walker| {
                walker.input = Input::Session;
                go(walker);
            });
        });
        for run in self.runs.iter_mut().skip(first).filter(|run| run.origin == Origin::Text) {
            run.origin = Origin::Carried;
        }
    }
}

/// Returns the text of `-EncodedCommand`: Base64 of UTF-16, the low byte first.
fn decoded(text: &str) -> Option<String> {
    let bare = text.trim().trim_end_matches('=');
    let bytes = BASE64_NOPAD
        .decode(bare.as_bytes())
        .or_else(|_| BASE64.decode(text.trim().as_bytes()))
        .ok()?;
    let mut units = Vec::with_capacity(bytes.len() / 2);
    for pair in bytes.chunks(2) {
        let [low, high] = pair else { return None };
        units.push(u16::from_le_bytes([*low, *high]));
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_code_is_decoded() {
        assert_eq!(decoded("cgBtACAALQByAGYA").as_deref(), Some("rm -rf"));
        assert_eq!(decoded("ZQBjAGgAbwAgAGgAaQA=").as_deref(), Some("echo hi"));
        assert_eq!(decoded("!!"), None);
        assert_eq!(decoded("QQ=="), None);
    }

    #[test]
    fn options_may_be_cut() {
        for (written, follows) in [
            ("-c", Follows::Code),
            ("-Com", Follows::Code),
            ("-e", Follows::Encoded),
            ("-enc", Follows::Encoded),
            ("-ec", Follows::Encoded),
            ("-ex", Follows::Value),
            ("-ep", Follows::Value),
            ("-f", Follows::File),
            ("-NoProfile", Follows::Nothing),
            ("-nop", Follows::Nothing),
            ("-w", Follows::Value),
        ] {
            assert_eq!(option(written), follows, "{written}");
        }
    }
}
