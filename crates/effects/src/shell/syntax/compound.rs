//! Commands that begin with a reserved word or a bracket.

use super::Problem;
use super::parser::Parser;
use super::tree::{Kind, List, Word};

impl<'t> Parser<'t> {
    /// Reads a compound command; `None` if a simple one stands here.
    pub(super) fn compound(&mut self) -> Option<Kind> {
        if self.peek() == Some(b'(') {
            if self.peek_at(1) == Some(b'(') && self.closes_twice(self.at + 2) {
                self.at += 2;
                return Some(Kind::Arithmetic(self.arithmetic("))")));
            }
            self.at += 1;
            let list = self.list();
            self.expect(")");
            return Some(Kind::Subshell(list));
        }
        let word = self.reserved()?;
        let kind = match word {
            "{" => {
                self.at += 1;
                let list = self.list();
                self.expect_word("}");
                Kind::Group(list)
            }
            "if" => self.if_command(),
            "while" | "until" => {
                self.at += word.len();
                let condition = self.list();
                Kind::While { until: word == "until", condition, body: self.do_group() }
            }
            "for" | "select" => self.for_command(word),
            "case" => self.case_command(),
            "function" => return self.function_command(),
            "coproc" => self.coprocess(),
            "[[" => self.test_command(),
            _ => return None,
        };
        Some(kind)
    }

    fn expect(&mut self, text: &str) {
        self.skip_lines();
        if !self.eat(text) {
            let problem =
                if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
            self.fail(problem);
        }
    }

    fn expect_word(&mut self, word: &str) {
        self.skip_lines();
        if self.reserved() == Some(word) {
            self.at += word.len();
        } else {
            let problem =
                if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
            self.fail(problem);
        }
    }

    fn if_command(&mut self) -> Kind {
        let mut arms = Vec::new();
        let mut otherwise = List::new();
        self.at += "if".len();
        loop {
            let condition = self.list();
            self.expect_word("then");
            arms.push((condition, self.list()));
            match self.reserved() {
                Some("elif") => self.at += "elif".len(),
                Some("else") => {
                    self.at += "else".len();
                    otherwise = self.list();
                    self.expect_word("fi");
                    break;
                }
                _ => {
                    self.expect_word("fi");
                    break;
                }
            }
        }
        Kind::If(arms, otherwise)
    }

    fn do_group(&mut self) -> List {
        self.expect_word("do");
        let list = self.list();
        self.expect_word("done");
        list
    }

    /// The body of `for`: `do … done` or, as bash accepts it, `{ … }`.
    fn for_body(&mut self) -> List {
        self.skip_lines();
        if self.reserved() == Some("{") {
            self.at += 1;
            let list = self.list();
            self.expect_word("}");
            return list;
        }
        self.do_group()
    }

    fn for_command(&mut self, word: &str) -> Kind {
        self.at += word.len();
        self.skip_blanks();
        if self.starts("((") {
            self.at += 2;
            let head = self.arithmetic("))");
            self.skip_blanks();
            self.eat(";");
            return Kind::ForArithmetic(head, self.for_body());
        }
        let name = self.word().and_then(|word| word.bare().map(str::to_owned));
        if name.is_none() {
            self.fail(Problem::Unexpected);
        }
        self.skip_lines();
        let mut words = None;
        if self.eat_in() {
            let mut list = Vec::new();
            loop {
                self.skip_blanks();
                let Some(word) = self.word() else { break };
                list.push(word);
            }
            words = Some(list);
        }
        self.skip_blanks();
        self.skip_comment();
        self.eat(";");
        Kind::For { name: name.unwrap_or_default(), words, body: self.for_body() }
    }

    fn eat_in(&mut self) -> bool {
        let after = self.peek_at(2);
        let is_here = self.starts("in") && after.is_none_or(super::parser::ends_word);
        if is_here {
            self.at += 2;
        }
        is_here
    }

    fn case_command(&mut self) -> Kind {
        self.at += "case".len();
        self.skip_blanks();
        let subject = self.word().unwrap_or_default();
        self.skip_lines();
        if !self.eat_in() {
            self.fail(Problem::Unexpected);
        }
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.reserved() == Some("esac") {
                self.at += "esac".len();
                break;
            }
            let before = self.at;
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                let Some(pattern) = self.word() else { break };
                patterns.push(pattern);
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.skip_blanks();
            if !self.eat(")") {
                let problem =
                    if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
                self.fail(problem);
            }
            let body = self.list();
            arms.push((patterns, body));
            if !self.eat(";;&") && !self.eat(";;") && !self.eat(";&") {
                self.skip_lines();
                if self.reserved() != Some("esac") {
                    let problem =
                        if self.peek().is_none() { Problem::Unclosed } else { Problem::Unexpected };
                    self.fail(problem);
                    break;
                }
            }
            if self.at == before {
                break;
            }
        }
        Kind::Case(subject, arms)
    }

    fn function_command(&mut self) -> Option<Kind> {
        self.at += "function".len();
        self.skip_blanks();
        let name = self.word().and_then(|word| word.bare().map(str::to_owned));
        if name.is_none() {
            self.fail(Problem::Unexpected);
        }
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.expect(")");
        }
        Some(self.function_body(name.unwrap_or_default()).kind)
    }

    fn coprocess(&mut self) -> Kind {
        self.at += "coproc".len();
        self.skip_blanks();
        // `coproc NAME { …; }`: the name stands only before a compound command.
        let before = self.at;
        if self.reserved().is_none() && self.peek() != Some(b'(') {
            let length = super::parser::name_length(self.rest());
            self.at += length;
            self.skip_blanks();
            let compound = self.peek() == Some(b'(')
                || matches!(
                    self.reserved(),
                    Some("{" | "if" | "while" | "until" | "for" | "case" | "[[")
                );
            if length == 0 || !compound {
                self.at = before;
            }
        }
        match self.command() {
            Some(command) => Kind::Coprocess(Box::new(command)),
            None => {
                self.fail(Problem::Unexpected);
                Kind::Group(List::new())
            }
        }
    }

    /// Reads `[[ … ]]`. Only its words matter: which of them are operators does not.
    fn test_command(&mut self) -> Kind {
        self.at += 2;
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_lines();
            if self.starts("]]") && self.peek_at(2).is_none_or(super::parser::ends_word) {
                self.at += 2;
                break;
            }
            match self.peek() {
                None => {
                    self.fail(Problem::Unclosed);
                    break;
                }
                Some(b'(' | b')' | b'|' | b'&' | b'<' | b'>')
                    if !self.starts("<(") && !self.starts(">(") =>
                {
                    self.at += 1;
                }
                _ => match self.word() {
                    Some(word) => words.push(word),
                    None => {
                        self.fail(Problem::Unexpected);
                        break;
                    }
                },
            }
        }
        Kind::Test(words)
    }
}
