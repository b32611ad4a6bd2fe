//! Redirections: the files that they open, and what a program reads on its standard input.

use super::LooseRedirect;
use super::syntax::tree::{Operator, Redirect as Written, Target};
use super::walk::{Input, Walker};
use crate::run::{CodeFrom, Output, Redirect, RedirectKind};
use crate::word::{Word, WordPart};

impl Walker<'_> {
    /// Returns the files that are opened, and sets the standard input.
    pub(super) fn redirects(&mut self, written: &[Written]) -> Vec<Redirect> {
        let mut redirects = Vec::new();
        for redirect in written {
            let is_input = redirect.descriptor.is_empty() || redirect.descriptor == "0";
            let target = match &redirect.target {
                Target::Word(word) => self.single_target(word, redirect.operator),
                Target::Document(body) => match body.get() {
                    Some(body) => self.single(body),
                    None => Word::default(),
                },
            };
            let kind = match redirect.operator {
                Operator::HereString | Operator::HereDocument => {
                    if is_input {
                        self.input = Input::Text(target);
                    }
                    continue;
                }
                Operator::CopyIn => {
                    if is_input {
                        self.input = another_descriptor();
                    }
                    continue;
                }
                // `2>&1` and `>&-` open nothing; `>& file` does.
                Operator::CopyOut => {
                    // `0>&1`
                    if redirect.descriptor == "0" {
                        self.input = another_descriptor();
                    }
                    let known = target.known();
                    let is_number = |text: &str| {
                        !text.is_empty()
                            && text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
                    };
                    if known.as_deref().is_none_or(is_number) || !redirect.descriptor.is_empty() {
                        continue;
                    }
                    RedirectKind::Write
                }
                Operator::Read => RedirectKind::Read,
                Operator::ReadWrite => RedirectKind::ReadWrite,
                Operator::Write | Operator::WriteBoth => RedirectKind::Write,
            };
            let file = target.known();
            if is_input && kind == RedirectKind::Read && file.as_deref() == Some("/dev/null") {
                self.input = Input::Text(Word::default());
            } else if is_input && file.as_deref() == Some("/dev/tty") {
                self.input = Input::Session;
            } else if is_input && kind != RedirectKind::Write {
                let from = self.source_of(&target).unwrap_or(CodeFrom::Stdin);
                self.input = Input::From(from, target.written(), None);
            }
            // What a process substitution stands for is no file of anyone.
            let is_process = matches!(target.parts.as_slice(),
                [WordPart::Unknown { written, .. }] if written.starts_with("<(") || written.starts_with(">("));
            if !is_process {
                redirects.push(Redirect { kind, target });
            }
        }
        redirects
    }

    fn single_target(&mut self, word: &super::syntax::tree::Word, operator: Operator) -> Word {
        if operator == Operator::HereString {
            return self.single(word);
        }
        let mut fields = Vec::new();
        self.fields(word, &mut fields);
        // More than one word is an error of the shell: nothing is opened.
        if fields.len() == 1 { fields.pop().unwrap_or_default() } else { self.single_quiet(word) }
    }

    /// A word again, of which the commands were seen already.
    pub(super) fn single_quiet(&mut self, word: &super::syntax::tree::Word) -> Word {
        let runs = self.runs.len();
        let single = self.single(word);
        self.runs.truncate(runs);
        single
    }

    /// Keeps redirections that belong to no program.
    pub(super) fn keep_loose(&mut self, redirects: Vec<Redirect>) {
        for redirect in redirects {
            self.loose.push(LooseRedirect {
                redirect,
                cwd: self.state.cwd.clone(),
                place: self.place,
                files: self.names.clone(),
            });
        }
    }

    /// Returns where the text of an expansion comes from, if it comes from the network or a decoder.
    pub(super) fn source_of(&self, word: &Word) -> Option<CodeFrom> {
        let mut found = None;
        for part in &word.parts {
            let WordPart::Unknown { written, .. } = part else { continue };
            if let (Some(from), true) =
                (self.sources.get(written), found != Some(CodeFrom::Network))
            {
                found = Some(*from);
            }
        }
        found.filter(|from| *from != CodeFrom::Stdin)
    }
}

/// Whether a file is the standard input of the program that opens it.
pub(super) fn is_standard_input(file: &Word) -> bool {
    let number = file.known().as_deref().and_then(descriptor_of).map(str::to_owned);
    number.as_deref() == Some("0") || file.known().as_deref() == Some("/dev/stdin")
}

/// Whether a file is another descriptor of the program that opens it, whatever stands behind it.
pub(super) fn is_descriptor(file: &Word) -> bool {
    file.known().as_deref().and_then(descriptor_of).is_some()
}

fn descriptor_of(file: &str) -> Option<&str> {
    let folders = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
    folders.iter().find_map(|folder| file.strip_prefix(folder))
}

pub(super) fn another_descriptor() -> Input {
    Input::From(CodeFrom::Stdin, "another descriptor".to_owned(), None)
}

/// Where redirections lead what a program writes. It goes to nowhere only if all of them lead there: zsh writes to each.
pub(super) fn output(written: &[Written]) -> Output {
    let leads = |redirect: &&Written| match redirect.operator {
        Operator::Write | Operator::CopyOut => matches!(redirect.descriptor.as_str(), "" | "1"),
        Operator::ReadWrite | Operator::CopyIn => redirect.descriptor == "1",
        Operator::WriteBoth => true,
        Operator::Read | Operator::HereString | Operator::HereDocument => false,
    };
    let is_nowhere = |redirect: &Written| match &redirect.target {
        Target::Word(word) => word.bare() == Some("/dev/null"),
        Target::Document(_) => false,
    };
    let led: Vec<bool> = written.iter().filter(leads).map(is_nowhere).collect();
    match led.as_slice() {
        [] => Output::Shown,
        led if led.iter().all(|is_nowhere| *is_nowhere) => Output::Nowhere,
        _ => Output::Elsewhere,
    }
}

/// Whether a program reads something else than the pipe before it.
pub(super) fn reads_elsewhere(written: &[Written]) -> bool {
    written.iter().any(|redirect| {
        matches!(redirect.descriptor.as_str(), "" | "0")
            && !matches!(
                redirect.operator,
                Operator::Write | Operator::WriteBoth | Operator::CopyOut
            )
    })
}
