//! The head of a skill: lines between two `---`, of which few forms of YAML are read.
//!
//! ```text
//! ---
//! name: deploy
//! description: >
//!   How to deploy,
//!   and how to go back
//! triggers: [deploy, "roll out"]
//! paths:
//!   - infra/**
//! always: false
//! ---
//! ```
//!
//! What others put there beside these keys is theirs, in whatever form. A key that is read and has a form which is not
//! is an error: a trigger that was passed over would never hold.

/// The keys of a head with what stands there, as it is written.
#[derive(Debug, Default)]
pub(super) struct FrontMatter<'a> {
    entries: Vec<Entry<'a>>,
}

/// A key, the rest of its line, and the lines below it.
#[derive(Debug)]
struct Entry<'a> {
    key: &'a str,
    value: &'a str,
    below: Vec<&'a str>,
}

impl<'a> FrontMatter<'a> {
    /// Takes a text apart. One that does not begin with `---` has no head.
    pub(super) fn split(text: &'a str) -> Result<(Self, &'a str), String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut matter = Self::default();
        let mut lines = text.split_inclusive('\n');
        let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
            return Ok((matter, text));
        };
        let mut length = first.len();
        for line in lines {
            length += line.len();
            if line.trim_end() == "---" {
                return Ok((matter, text.get(length..).unwrap_or_default()));
            }
            matter.add(line.trim_end());
        }
        Err("its head has no end: write `---` below it".to_owned())
    }

    fn add(&mut self, line: &'a str) {
        let is_below = line.starts_with([' ', '\t', '-']) || line.is_empty();
        if is_below {
            if let Some(entry) = self.entries.last_mut() {
                entry.below.push(line);
            }
            return;
        }
        if line.starts_with('#') {
            return;
        }
        if let Some((key, value)) = line.split_once(':') {
            let entry = Entry { key: key.trim(), value: value.trim(), below: Vec::new() };
            self.entries.push(entry);
        }
    }

    fn entry(&self, key: &str) -> Result<Option<&Entry<'a>>, String> {
        let mut all = self.entries.iter().filter(|entry| entry.key == key);
        let first = all.next();
        match all.next() {
            Some(_) => Err(format!("`{key}` is there twice")),
            None => Ok(first),
        }
    }

    /// Returns a text, in one line.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, String> {
        let Some(entry) = self.entry(key)? else { return Ok(None) };
        let folded = matches!(entry.value, ">" | ">-" | ">+" | "|" | "|-" | "|+");
        let first = if folded { String::new() } else { scalar(key, entry.value)? };
        let below = entry.below.iter().map(|line| line.trim());
        let words: Vec<&str> =
            std::iter::once(first.as_str()).chain(below).filter(|line| !line.is_empty()).collect();
        Ok(Some(words.join(" ")).filter(|text| !text.is_empty()))
    }

    /// Returns a flag; false if it is not there.
    pub(super) fn flag(&self, key: &str) -> Result<bool, String> {
        match self.entry(key)?.map(|entry| entry.value) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(format!("`{key}` is `{other}`: write `true` or `false`")),
        }
    }

    /// Returns a list of texts; empty if it is not there.
    pub(super) fn list(&self, key: &str) -> Result<Vec<String>, String> {
        let Some(entry) = self.entry(key)? else { return Ok(Vec::new()) };
        let value = entry.value;
        let items: Vec<&str> = if value.is_empty() {
            let below = entry.below.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            let items = below.map(|line| line.strip_prefix('-').map(str::trim));
            items
                .collect::<Option<_>>()
                .ok_or_else(|| format!("`{key}` is no list: begin each line with `- `"))?
        } else if let Some(inner) = value.strip_prefix('[') {
            let inner = inner
                .strip_suffix(']')
                .ok_or_else(|| format!("`{key}` has no `]` at the end of its line"))?;
            inner.split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
        } else {
            vec![value]
        };
        items.into_iter().map(|item| scalar(key, item)).collect()
    }
}

/// Reads one value: plain, or between quotes.
fn scalar(key: &str, written: &str) -> Result<String, String> {
    for quote in ['"', '\''] {
        if let Some(inner) = written.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote).filter(|inner| !inner.contains(quote));
            return inner
                .map(str::to_owned)
                .ok_or_else(|| format!("`{key}`: quotes that do not fit in `{written}`"));
        }
    }
    if written.starts_with(['{', '&', '*', '!']) {
        return Err(format!("`{key}`: `{written}` is written in a form that is not read here"));
    }
    Ok(written.split(" #").next().unwrap_or(written).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matter(text: &str) -> FrontMatter<'_> {
        FrontMatter::split(text).unwrap().0
    }

    #[test]
    fn the_forms_that_are_read() {
        let text = "---\nname: deploy # short\ndescription: >\n  How to\n  deploy\ntriggers: [a, \"b c\"]\n\
                    paths:\n  - infra/**\n- '*.tf'\nalways: true\nother: {x: 1}\n---\nBody\n";
        let (matter, body) = FrontMatter::split(text).unwrap();
        assert_eq!(matter.text("name").unwrap().as_deref(), Some("deploy"));
        assert_eq!(matter.text("description").unwrap().as_deref(), Some("How to deploy"));
        assert_eq!(matter.list("triggers").unwrap(), ["a", "b c"]);
        assert_eq!(matter.list("paths").unwrap(), ["infra/**", "*.tf"]);
        assert_eq!((matter.flag("always"), body), (Ok(true), "Body\n"));
        assert_eq!(FrontMatter::split("Just text").unwrap().1, "Just text");
    }

    #[test]
    fn what_would_be_passed_over_is_an_error() {
        assert!(FrontMatter::split("---\nname: x\n").is_err());
        for (head, key) in [
            ("triggers: [a", "triggers"),
            ("triggers:\n  a: 1", "triggers"),
            ("triggers: {a: 1}", "triggers"),
            ("triggers: [a]\ntriggers: [b]", "triggers"),
            ("triggers: ['a]", "triggers"),
        ] {
            let text = format!("---\n{head}\n---\n");
            assert!(matter(&text).list(key).is_err(), "{head}");
        }
        assert!(matter("---\nalways: maybe\n---\n").flag("always").is_err());
    }
}
