//! The words of the program that does the same as a command.

use crate::word::Word;

/// Words with places for the values of parameters.
#[derive(Debug, PartialEq)]
pub(in crate::shell) struct Template(Vec<Token>);

#[derive(Debug, PartialEq)]
enum Token {
    Text(String),
    /// `-r?Recurse`: a word that is there with a parameter.
    With {
        word: String,
        name: String,
    },
    /// `$Path`, `$Path|default`, `-o=$OutFile`, `/dev/$Name`
    Values {
        option: Option<String>,
        before: String,
        name: String,
        default: Option<String>,
    },
}

impl Template {
    pub(in crate::shell) fn parse(text: &str) -> Self {
        Self(text.split_whitespace().map(Token::parse).collect())
    }

    /// Returns the parameters that it asks for.
    #[cfg(test)]
    pub(in crate::shell) fn asks_for(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|token| match token {
            Token::Text(_) => None,
            Token::With { name, .. } | Token::Values { name, .. } => Some(name.as_str()),
        })
    }

    /// Returns the words. `values` has the values of a parameter, `None` if it is not given.
    pub(in crate::shell) fn fill(&self, values: impl Fn(&str) -> Option<Vec<Word>>) -> Vec<Word> {
        let mut words = Vec::new();
        for token in &self.0 {
            match token {
                Token::Text(text) => words.push(Word::text(text)),
                Token::With { word, name } => {
                    if values(name).is_some() {
                        words.push(Word::text(word));
                    }
                }
                Token::Values { option, before, name, default } => {
                    let found = values(name).filter(|words| !words.is_empty());
                    let default = || match default.as_deref() {
                        Some(text) => match text.strip_prefix('$') {
                            Some(other) => values(other),
                            None => Some(vec![Word::text(text)]),
                        },
                        None => None,
                    };
                    for value in found.or_else(default).unwrap_or_default() {
                        words.extend(option.as_deref().map(Word::text));
                        words.push(after(before, value));
                    }
                }
            }
        }
        words
    }
}

fn after(before: &str, value: Word) -> Word {
    if before.is_empty() {
        return value;
    }
    let mut word = Word::text(before);
    value.parts.into_iter().for_each(|part| word.push(part));
    word
}

impl Token {
    fn parse(text: &str) -> Self {
        if let Some((word, name)) = text.split_once('?') {
            return Self::With { word: word.to_owned(), name: name.to_lowercase() };
        }
        let Some((before, value)) = text.split_once('$') else {
            return Self::Text(text.to_owned());
        };
        let (name, default) = match value.split_once('|') {
            Some((name, default)) => (name, Some(default.to_owned())),
            None => (value, None),
        };
        let (option, before) = match before.strip_suffix('=') {
            Some(option) => (Some(option.to_owned()), String::new()),
            None => (None, before.to_owned()),
        };
        Self::Values { option, before, name: name.to_lowercase(), default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_their_places() {
        let template = Template::parse("curl -s?Silent -o=$OutFile $Uri|http://x /dev/$Disk");
        let fill = |given: &[(&str, &str)]| {
            let words = template.fill(|name| {
                let found: Vec<Word> = given
                    .iter()
                    .filter(|(known, _)| *known == name)
                    .map(|(_, value)| Word::text(*value))
                    .collect();
                (!found.is_empty()).then_some(found)
            });
            words.iter().map(Word::written).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(fill(&[]), "curl http://x");
        assert_eq!(
            fill(&[("silent", ""), ("outfile", "f"), ("uri", "u"), ("disk", "C"), ("disk", "D")]),
            "curl -s -o f u /dev/C /dev/D"
        );
    }
}
