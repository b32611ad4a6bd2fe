//! Values and files in TOML, for people to read.

/// Writes a text in the form that needs the fewest escapes.
pub(super) fn literal(text: &str) -> String {
    let has_control = text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    let is_plain = !has_control && !text.contains(['\n', '\t']);
    if is_plain && !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    if is_plain && !text.contains('\'') {
        return format!("'{text}'");
    }
    if !has_control && !text.contains("'''") && !text.ends_with('\'') && !text.contains('\r') {
        // A line break right after the quotes is not part of the text.
        let newline = if text.contains('\n') { "\n" } else { "" };
        return format!("'''{newline}{text}'''");
    }
    escaped(text)
}

fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Writes a text on one line, as an inline table needs it in TOML 1.0.
pub(super) fn inline(text: &str) -> String {
    if text.contains('\n') { escaped(text) } else { literal(text) }
}

/// Writes a list of texts.
pub(super) fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| inline(item.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

/// Writes a key, in quotes if it needs them.
pub(super) fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { escaped(name) }
}

/// Writes a table of texts.
pub(super) fn table(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// Writes lines of a comment, broken where they are too long.
pub(super) fn comment(prefix: &str, text: &str, out: &mut String) {
    const WIDTH: usize = 100;
    // A comment of TOML takes no control characters, and its end is the end of the line.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let indent = " ".repeat(prefix.len());
    let mut line = format!("# {prefix}");
    let mut is_empty = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            line = format!("# {indent}");
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_back() {
        for text in [
            "",
            "plain",
            "a\"b",
            "a\\b",
            "it's \"both\"",
            "two\nlines",
            "'''",
            "ends in '",
            "tab\t",
            "\u{1}",
            "a\r\nb",
            "\n",
            "\"\"\"\\'",
            "é",
        ] {
            for written in [literal(text), inline(text)] {
                let table: toml::Table = format!("x = {written}").parse().unwrap();
                assert_eq!(table["x"].as_str(), Some(text), "{written}");
            }
            let table: toml::Table = format!("{} = 1", key(text)).parse().unwrap();
            assert!(table.contains_key(text), "{text:?}");
            assert!(!inline(text).contains('\n'));
        }
    }

    #[test]
    fn a_comment_cannot_be_left() {
        let mut out = String::new();
        comment("", "a\n[[hook]]\r\nb", &mut out);
        assert_eq!(out, "# a [[hook]] b\n");
        let mut out = String::new();
        comment("note: ", &"word ".repeat(40), &mut out);
        assert!(out.lines().all(|line| line.starts_with("# ") && line.len() <= 100), "{out}");
    }
}
