//! The blocks of a shell line: `if` to `fi`, `while` to `done`, `{` to `}`.

/// Words after which a command begins.
const KEYWORDS: [&str; 9] = ["if", "then", "elif", "else", "while", "until", "do", "!", "{"];

/// A line that is not understood.
#[derive(Debug)]
pub(super) struct Unclear;

/// The blocks that are open, and whether a command must come next.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The words that close the open blocks, the innermost last.
    closers: Vec<&'static str>,
    /// Whether the last word wants a command behind it, as `if` and `then` do.
    wants_command: bool,
}

impl Blocks {
    /// Reads the words before a command that open, part or close blocks. Returns the command.
    ///
    /// # Errors
    /// If a word cannot stand where it stands.
    pub(super) fn enter<'a>(&mut self, command: &'a str) -> Result<&'a str, Unclear> {
        let mut command = command.trim();
        loop {
            let (first, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            self.word(first)?;
            let rest = rest.trim_start();
            command = match first {
                // Behind the name stands the block.
                "function" => rest.split_once(char::is_whitespace).map_or("", |(_, block)| block),
                _ if KEYWORDS.contains(&first) => rest,
                _ => return Ok(command),
            };
        }
    }

    /// Notes that a command was read.
    pub(super) const fn filled(&mut self) {
        self.wants_command = false;
    }

    /// Returns how many blocks are open.
    pub(super) const fn depth(&self) -> usize {
        self.closers.len()
    }

    fn word(&mut self, word: &str) -> Result<(), Unclear> {
        match word {
            "if" => self.open("fi", true),
            "while" | "until" => self.open("done", true),
            "for" | "select" => self.open("done", false),
            "case" => self.open("esac", false),
            "{" => self.open("}", true),
            "then" | "elif" | "else" => self.part("fi")?,
            "do" => self.part("done")?,
            "fi" | "done" | "esac" | "}" => {
                self.check_innermost(word)?;
                self.closers.pop();
            }
            "!" | "" => {}
            _ => self.filled(),
        }
        Ok(())
    }

    fn open(&mut self, closer: &'static str, wants_command: bool) {
        self.closers.push(closer);
        self.wants_command = wants_command;
    }

    fn part(&mut self, closer: &str) -> Result<(), Unclear> {
        self.check_innermost(closer)?;
        self.wants_command = true;
        Ok(())
    }

    /// Checks that the innermost block ends with a word, and that no command is missing before it.
    fn check_innermost(&self, closer: &str) -> Result<(), Unclear> {
        let is_right = self.closers.last().is_some_and(|innermost| *innermost == closer);
        if is_right && !self.wants_command { Ok(()) } else { Err(Unclear) }
    }
}
