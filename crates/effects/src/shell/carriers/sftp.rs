//! What the line tells `sftp`: each line of its input is a command of it.

use super::super::code::quoted;
use super::super::walk::{Input, Walker};
use crate::effects::UnclearWhat;
use crate::word::Word;

impl Walker<'_> {
    /// `put` and `get` are what `scp` does, `rm` is what `ssh` does, and behind `!` stands code of a shell here.
    pub(super) fn sftp(&mut self, args: &[Word], by: usize) {
        let told = match self.input.clone() {
            Input::Text(told) | Input::Piped(told) => told.written(),
            Input::From(_, source, _) => {
                let why = format!("what `sftp` is told comes from {}", quoted(&source));
                self.unclear(UnclearWhat::Program, why, Some(by));
                return;
            }
            Input::Session => return,
        };
        let is_plain = |text: &&str| {
            text.bytes().all(|sign| sign.is_ascii_alphanumeric() || b"@.-_".contains(&sign))
        };
        let last = args.last().and_then(Word::known).unwrap_or_default();
        let host = last.split(':').next().filter(is_plain).unwrap_or("host");
        let code: Vec<String> = told.lines().filter_map(|line| as_shell(line, host)).collect();
        self.carried_code(&Word::text(code.join("\n")), Some(by), "sftp");
    }
}

/// What a command of `sftp` is in a shell; `None` for those that only look, or change a name on the host.
fn as_shell(line: &str, host: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['-', '@']);
    if let Some(code) = line.strip_prefix('!') {
        return Some(code.to_owned());
    }
    let (command, rest) = line.split_once([' ', '\t'])?;
    let mut operands = rest.split_ascii_whitespace().filter(|word| !word.starts_with('-'));
    let (from, to) = (operands.next()?, operands.next());
    Some(match command.to_ascii_lowercase().as_str() {
        "put" | "mput" | "reput" => format!("scp -r {from} {host}:{}", to.unwrap_or_default()),
        "get" | "mget" | "reget" => format!("scp -r {host}:{from} {}", to.unwrap_or(".")),
        "rm" => format!("ssh {host} rm {rest}"),
        "lcd" => format!("cd {rest}"),
        _ => return None,
    })
}
