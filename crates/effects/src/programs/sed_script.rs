//! The commands of a `sed` script that run programs or open files.

/// What a command of a script does besides changing text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SedCommand {
    /// `e COMMAND`
    Runs(String),
    /// `e`: the line that was read is run.
    RunsLine,
    /// `s/…/…/e`: what the replacement makes is run.
    RunsResult,
    /// `r FILE`
    Reads(String),
    /// `w FILE`
    Writes(String),
}

/// Returns those commands of a script. What follows something that is not understood is not read.
pub(crate) fn sed_commands(script: &str) -> Vec<SedCommand> {
    let mut reader = Reader { rest: script, found: Vec::new() };
    while reader.command().is_some() {}
    reader.found
}

struct Reader<'s> {
    rest: &'s str,
    found: Vec<SedCommand>,
}

impl<'s> Reader<'s> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let sign = self.peek()?;
        self.rest = self.rest.get(sign.len_utf8()..)?;
        Some(sign)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(is_skipped);
    }

    /// The text up to the end of the line.
    fn line(&mut self) -> &'s str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line.trim()
    }

    /// Goes behind the next sign that is not escaped.
    fn past(&mut self, sign: char) -> Option<()> {
        loop {
            match self.take()? {
                '\\' => {
                    self.take();
                }
                found if found == sign => return Some(()),
                _ => {}
            }
        }
    }

    /// An address: a line, `$`, `/RE/`, `\cREc`, `1~2`, `,+3`.
    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                '/' => {
                    self.take();
                    self.past('/')?;
                    self.skip(|sign| matches!(sign, 'I' | 'M'));
                }
                '\\' => {
                    self.take();
                    let sign = self.take()?;
                    self.past(sign)?;
                    self.skip(|sign| matches!(sign, 'I' | 'M'));
                }
                sign if sign.is_ascii_digit() || " \t$,~+!".contains(sign) => {
                    self.take();
                }
                _ => return Some(()),
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        self.skip(|sign| sign.is_whitespace() || sign == ';' || sign == '}');
        self.addresses()?;
        match self.take()? {
            '{' => {}
            '#' => {
                self.line();
            }
            ':' | 'b' | 't' | 'T' => self.skip(|sign| sign != ';' && sign != '\n' && sign != '}'),
            'a' | 'i' | 'c' => while self.line().ends_with('\\') {},
            'r' | 'R' => {
                let file = self.line().to_owned();
                self.found.push(SedCommand::Reads(file));
            }
            'w' | 'W' => {
                let file = self.line().to_owned();
                self.found.push(SedCommand::Writes(file));
            }
            'e' => {
                let command = self.line();
                self.found.push(match command {
                    "" => SedCommand::RunsLine,
                    // Of `e;p` and `e}` the line is run as well.
                    command if command.starts_with([';', '}']) => SedCommand::RunsLine,
                    command => SedCommand::Runs(command.to_owned()),
                });
            }
            's' => {
                let sign = self.take()?;
                self.past(sign)?;
                self.past(sign)?;
                self.flags();
            }
            'y' => {
                let sign = self.take()?;
                self.past(sign)?;
                self.past(sign)?;
            }
            sign if "=dDgGhHlnNpPqQxzFv".contains(sign) => {
                self.skip(|sign| sign.is_ascii_digit() || sign == ' ');
            }
            _ => return None,
        }
        Some(())
    }

    /// What stands behind `s/…/…/`.
    fn flags(&mut self) {
        let mut runs = false;
        while let Some(flag) = self.peek() {
            match flag {
                'w' => {
                    self.take();
                    let file = self.line().to_owned();
                    self.found.push(SedCommand::Writes(file));
                    break;
                }
                'e' => runs = true,
                flag if "gpiImM".contains(flag) || flag.is_ascii_digit() => {}
                _ => break,
            }
            self.take();
        }
        if runs {
            self.found.push(SedCommand::RunsResult);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SedCommand::{Reads, Runs, RunsLine, RunsResult, Writes};
    use super::*;

    #[test]
    fn commands_that_run_or_open_something_are_found() {
        for (script, found) in [
            ("e", vec![RunsLine]),
            ("1e", vec![RunsLine]),
            ("1e rm -rf /x; y", vec![Runs("rm -rf /x; y".into())]),
            ("/a\\/b/I,$ { e rm x\n p }", vec![Runs("rm x".into())]),
            ("s/a/b/;s|c|e|ge", vec![RunsResult]),
            ("s,a,b,w /etc/x", vec![Writes("/etc/x".into())]),
            ("w/etc/x", vec![Writes("/etc/x".into())]),
            ("$r f", vec![Reads("f".into())]),
            ("\\,x,R f", vec![Reads("f".into())]),
        ] {
            assert_eq!(sed_commands(script), found, "{script}");
        }
        for script in [
            "s/a/e/",
            "s/e x/we/g",
            "/e x/d",
            "a e rm",
            "i\\\ne rm\np",
            ":e;N;be",
            "y/e/w/",
            "1,3p",
            "s/a/b/gI",
            "# e rm",
            "p;p",
            "$!N;P;D",
            "",
            "unknown",
        ] {
            assert_eq!(sed_commands(script), [], "{script}");
        }
    }
}
