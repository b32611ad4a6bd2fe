//! Patterns that are written in another language than that of patterns: regular expressions, paths of
//! Windows, variables of the shell. Read as a pattern such a text fits nothing that a step can have, and
//! nobody would notice: it is refused, with what to write.

use super::error::{PatternError, PatternFault};

/// Refuses a pattern of programs that looks like a regular expression or has what a shell replaces. `parse`
/// tells whether a proposal can be used.
pub(super) fn check_run(text: &str, usable: impl Fn(&str) -> bool) -> Result<(), PatternError> {
    let mut quote = None;
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            // In quotes the signs are those of another program's language: `awk '(…)'`.
            Some(_) => {}
            None if c == '`' => return Err(PatternFault::Backtick.at(at)),
            None if is_sign_of_regex(before, c, next, at == 0) => {
                return Err(regex(text, instead_of_regex(text, "|", usable)).at(at));
            }
            None if before.is_whitespace() || at == 0 => {
                let word = text.get(at..).unwrap_or_default();
                let word = word.split(char::is_whitespace).next().unwrap_or_default();
                if is_replaced(word) {
                    return Err(PatternFault::Replaced(word.to_owned()).at(at));
                }
            }
            None => {}
        }
        if c == '\\' && quote.is_none() {
            chars.next();
            before = 'x';
        } else {
            before = c;
        }
    }
    Ok(())
}

/// Tools that the rules of other systems name, each with the condition that asks for what it does.
const RULES: [(&str, &str); 9] = [
    ("Bash", "runs"),
    ("PowerShell", "runs"),
    ("Read", "reads"),
    ("Glob", "reads"),
    ("Grep", "reads"),
    ("Edit", "writes"),
    ("MultiEdit", "writes"),
    ("Write", "writes"),
    ("WebFetch", "connects"),
];

/// Refuses a rule of another system, which has the tool before a bracket: `Bash(git push:*)`.
pub(super) fn check_tool_rule(text: &str) -> Result<(), PatternError> {
    let Some((tool, rest)) = text.split_once('(') else { return Ok(()) };
    let (Some((_, key)), Some(inner)) =
        (RULES.iter().find(|(name, _)| *name == tool), rest.strip_suffix(')'))
    else {
        return Ok(());
    };
    let inner = inner.strip_prefix("domain:").unwrap_or(inner);
    let bare = match *key {
        "runs" => inner.trim_end_matches('*').trim_end_matches([':', ' ']),
        _ => inner,
    };
    let asked = match bare {
        "" => String::new(),
        bare => format!("` and `{key} = \"{bare}\""),
    };
    let (written, instead) = (text.to_owned(), format!("tool = \"{tool}\"{asked}"));
    Err(PatternFault::ToolRule { written, instead }.at(0))
}

/// Refuses a pattern of paths that looks like a regular expression or a path of Windows.
pub(super) fn check_path(text: &str, usable: impl Fn(&str) -> bool) -> Result<(), PatternError> {
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    if let Some(bare) = quoted('"').or_else(|| quoted('\'')).or_else(|| quoted('`')) {
        return Err(PatternFault::Quotes(bare.to_owned()).at(0));
    }
    check_tool_rule(text)?;
    if let Some(at) = text.find("://") {
        let scheme = text.get(..at + 3).unwrap_or_default().to_owned();
        return Err(PatternFault::Address(scheme).at(0));
    }
    if let Some(unix) = instead_of_windows(text) {
        return Err(PatternFault::Windows(text.to_owned(), unix).at(0));
    }
    let signs = text.starts_with('^')
        || (text.ends_with('$') && text.len() > 1)
        || ["\\.", ".*/", ".+", "(?", ")?", ")*", "]+"].iter().any(|sign| text.contains(sign))
        || has_letter_escape(text)
        || (text.contains('(') && text.contains('|'));
    if signs {
        return Err(regex(text, instead_of_regex(text, ",", usable)).at(0));
    }
    if let Some(at) = unescaped(text, '|') {
        let instead = format!("{{{}}}", text.replace('|', ","));
        return Err(PatternFault::Bar(instead).at(at));
    }
    Ok(())
}

fn regex(written: &str, instead: Option<String>) -> PatternFault {
    let instead = match instead {
        Some(glob) => format!("write `{glob}`"),
        None => "`*` is any text, `?` one character, `[a-z]` one of these".to_owned(),
    };
    PatternFault::Regex { written: written.to_owned(), instead }
}

/// Returns whether a sign outside of quotes is one that no word of a command has, or not there.
fn is_sign_of_regex(before: char, c: char, next: char, first: bool) -> bool {
    let ends = next.is_whitespace() || next == '|';
    match c {
        // Neither can stand in a word of a shell.
        '(' | ')' => true,
        '^' => first,
        '$' => ends && !before.is_whitespace(),
        // No letter needs to be made literal.
        '\\' => next.is_ascii_alphanumeric(),
        '+' => matches!(before, ')' | ']' | '.'),
        '*' | '?' => before == ')',
        // `.*` alone are the names that begin with a dot.
        '.' => next == '+',
        _ => false,
    }
}

/// Returns whether the shell replaces what a word begins with.
fn is_replaced(word: &str) -> bool {
    let variable = word.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{'))
    });
    variable || word == "~" || word.starts_with("~/")
}

/// Returns the place of a sign that is outside of classes and not escaped.
fn unescaped(text: &str, sign: char) -> Option<usize> {
    let mut chars = text.char_indices();
    let mut class = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => _ = chars.next(),
            '[' => class = true,
            ']' => class = false,
            c if c == sign && !class => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns whether a letter or a digit is escaped: `\w`, `\d`, `\b`.
fn has_letter_escape(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|next| next.is_ascii_alphanumeric()) {
            return true;
        }
    }
    false
}

/// Returns the pattern for a path that is written as Windows writes it.
fn instead_of_windows(text: &str) -> Option<String> {
    let drive = |text: &str| {
        let mut chars = text.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':')
    };
    let parts: Vec<&str> = text.split('\\').filter(|part| !part.is_empty()).collect();
    let is_folder = |part: &&str| part.len() > 1 && part.chars().all(|c| c.is_alphanumeric());
    let windows = text.contains('\\')
        && (drive(text)
            || text.starts_with('%')
            || text.starts_with(r"\\")
            || text.starts_with(r"**\")
            || parts.iter().filter(|part| is_folder(part)).count() > 1);
    if !windows {
        return None;
    }
    // The paths of PowerShell are read as `/c/Windows`.
    let base = text
        .chars()
        .next()
        .filter(|_| drive(text))
        .map_or("**".to_owned(), |letter| format!("/{}", letter.to_ascii_lowercase()));
    let rest = if drive(text) { text.get(2..).unwrap_or_default() } else { text };
    let parts: Vec<&str> = rest.split('\\').filter(|part| !part.is_empty()).collect();
    let named =
        parts.iter().skip_while(|part| base == "**" && (**part == "**" || part.starts_with('%')));
    Some(format!("{base}/{}", named.copied().collect::<Vec<_>>().join("/")))
}

/// Returns the glob for a simple regular expression: `^git (push|pull)$` is `git push|pull`.
///
/// Whether a glob is usable is found by parsing it, which may come here again, so a text that stays what it is has none.
fn instead_of_regex(written: &str, between: &str, usable: impl Fn(&str) -> bool) -> Option<String> {
    let text = written.trim_start_matches('^').trim_end_matches('$');
    let text = text.replace("(?:", "(").replace("\\b", "");
    // What may be left out or be there again has no counterpart.
    let plain = text.replace("\\s+", "").replace("\\s*", "").replace(".*", "").replace(".+", "");
    if plain.contains(['?', '+'])
        || [")*", "]*", "){", "]{"].iter().any(|sign| plain.contains(sign))
    {
        return None;
    }
    let text = text.replace("\\s+", " ").replace("\\s*", " ").replace("\\s", " ");
    let text = text.replace("\\.", ".").replace(".*", "*").replace(".+", "?*");
    let words: Vec<String> = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| {
            let group = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            match group.filter(|inner| !inner.contains(['(', ')'])) {
                Some(inner) if between == "|" => inner.to_owned(),
                _ => word.replace('(', "{").replace(')', "}"),
            }
        })
        .map(|word| if word.contains('{') { word.replace('|', ",") } else { word })
        .collect();
    let glob = words.join(" ");
    (!glob.is_empty() && glob != written && usable(&glob)).then_some(glob)
}

#[cfg(test)]
mod tests {
    use super::super::{PathPatterns, RunPatterns};

    fn told(error: super::PatternError) -> String {
        error.to_string()
    }

    #[test]
    fn a_regular_expression_for_a_program_is_refused_with_the_pattern() {
        let refused = |text: &str| told(RunPatterns::parse(&[text]).unwrap_err());
        for (text, instead) in [
            ("git (push|pull)", "write `git push|pull`"),
            ("^git push", "write `git push`"),
            ("git push$", "write `git push`"),
            ("git\\s+push", "write `git push`"),
            ("git (?:push|pull) --force", "write `git push|pull --force`"),
            ("npm (un)?publish", "`*` is any text"),
            ("rm (-rf|-fr)", "write `rm -rf|-fr`"),
            ("terraform(12)+", "`*` is any text"),
            ("git .+", "write `git ?*`"),
            ("kubectl delete (ns|namespace)s", "write `kubectl delete {ns,namespace}s`"),
            ("kubectl delete (ns|namespace)s?", "`*` is any text"),
            ("rm \\w", "`*` is any text"),
            ("^rm \\drop \\w$", "`*` is any text"),
        ] {
            let text = refused(text);
            assert!(text.contains("regular expression") && text.contains(instead), "{text}");
        }
        for (text, part) in [
            ("~/bin/deploy", "`~/bin/deploy` is replaced"),
            ("rm $HOME/*", "`$HOME/*` is replaced"),
        ] {
            assert!(refused(text).contains(part), "{}", refused(text));
        }
    }

    #[test]
    fn what_commands_have_is_no_regular_expression() {
        for text in [
            "git push ** +*",
            "rm -rf .*",
            "g++ *",
            "git log ^main",
            "awk '(a|b)+$'",
            "psql --command='*drop *'|'*truncate *'",
            "find ** {} **",
            "echo \\$HOME",
            "make [a-z]*",
            "git show HEAD^",
            "sh -c *",
        ] {
            assert!(
                RunPatterns::parse(&[text]).is_ok(),
                "{text}: {:?}",
                RunPatterns::parse(&[text])
            );
        }
    }

    #[test]
    fn paths_in_another_syntax_are_refused_with_the_pattern() {
        let refused = |text: &str| told(PathPatterns::parse(&[text]).unwrap_err());
        for (text, part) in [
            (r"C:\Windows\**", "write `/c/Windows/**`"),
            (r"C:\\Windows\\**", "write `/c/Windows/**`"),
            (r"%USERPROFILE%\.ssh\*", "write `**/.ssh/*`"),
            (r"src\secrets\*.json", "write `**/src/secrets/*.json`"),
            (r"^/etc/.*", "write `/etc/*`"),
            (r".*\.env$", "write `*.env`"),
            (r"/etc/(passwd|shadow)", "write `/etc/{passwd,shadow}`"),
            ("*.pem|*.key", "`{*.pem,*.key}`"),
            ("'*.pem'", "write `*.pem`"),
            ("file:///etc/passwd", "`file://`"),
        ] {
            assert!(refused(text).contains(part), "{text}: {}", refused(text));
        }
        for text in [
            "**/.*",
            "src/main.*",
            r"a\|b",
            "a[|]b",
            r"\*",
            "C:/x",
            "a (copy).txt",
            "$cwd",
            "x+y.c",
        ] {
            assert!(
                PathPatterns::parse(&[text]).is_ok(),
                "{text}: {:?}",
                PathPatterns::parse(&[text])
            );
        }
    }
}
