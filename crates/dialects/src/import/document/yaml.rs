//! YAML: the first document of a file.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::import::node::{Entry, Kind, Node};

/// How many values a document may have when its aliases are filled in, and how deep they may stand: an
/// alias of aliases can stand for any number.
const MOST_NODES: usize = 100_000;
const DEEPEST: usize = 100;

/// Reads a text.
///
/// # Errors
/// Where it is no YAML, and why.
pub(super) fn read(text: &str) -> Result<Node, (usize, String)> {
    // The parser counts characters.
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let offset = |index: usize| offsets.get(index).copied().unwrap_or(text.len());
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| (offset(error.marker().index()), error.info().to_owned()))?;
        let at = offset(span.start.index());
        builder.take(event, at).map_err(|message| (at, message.to_owned()))?;
        if let Some(root) = builder.done.take() {
            return Ok(root);
        }
    }
    Err((0, "the file is empty".to_owned()))
}

/// A list or table that is not yet complete.
#[derive(Debug)]
enum Open {
    List(Vec<Node>),
    /// The entries, and a key that waits for its value.
    Table(Vec<Entry>, Option<(String, usize)>),
}

/// Puts events together.
#[derive(Debug, Default)]
struct Builder {
    open: Vec<(Open, usize, usize)>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    done: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: usize) -> Result<(), &'static str> {
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let kind = match style {
                    ScalarStyle::Plain => plain(&text),
                    _ => Kind::Text(text.into_owned()),
                };
                self.add(Node { at, value: kind }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.begin(Open::List(Vec::new()), at, anchor),
            Event::MappingStart(anchor, _) => self.begin(Open::Table(Vec::new(), None), at, anchor),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some((Open::List(items), at, anchor)) => {
                    self.add(Node { at, value: Kind::List(items) }, anchor)
                }
                Some((Open::Table(entries, _), at, anchor)) => {
                    self.add(Node { at, value: Kind::Table(entries) }, anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                self.add(node.unwrap_or(Node { at, value: Kind::Null }), 0)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open, at: usize, anchor: usize) -> Result<(), &'static str> {
        if self.open.len() >= DEEPEST {
            return Err("it is nested too deeply");
        }
        self.open.push((open, at, anchor));
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), &'static str> {
        self.nodes += size(&node);
        if self.nodes > MOST_NODES {
            return Err("it has too many values");
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            None => self.done = Some(node),
            Some((Open::List(items), ..)) => items.push(node),
            Some((Open::Table(entries, key), ..)) => match key.take() {
                Some((key, _)) if key == "<<" => entries.extend(node.entries().iter().cloned()),
                Some((key, key_at)) => entries.push(Entry { key, key_at, node }),
                None => *key = Some((node.text().unwrap_or_default().to_owned(), node.at)),
            },
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    let below = match &node.value {
        Kind::List(items) => items.iter().map(size).sum(),
        Kind::Table(entries) => entries.iter().map(|entry| size(&entry.node)).sum(),
        _ => 0,
    };
    below + 1
}

/// Reads a scalar without quotes, as the core schema does.
fn plain(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Flag(true),
        "false" | "False" | "FALSE" => Kind::Flag(false),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            text.parse().map_or_else(|_| Kind::Text(text.to_owned()), Kind::Number)
        }
        _ => Kind::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_place() {
        let node = read("a: 1\nb:\n  - 'x'\n  - {c: true, d: }\n").unwrap();
        assert_eq!(node.get("a").unwrap().number(), Some(1.0));
        let items = node.get("b").unwrap().items();
        assert_eq!((items[0].text(), items[0].at), (Some("x"), 12));
        assert_eq!(items[1].get("c").unwrap().flag(), Some(true));
        assert_eq!(items[1].get("d").unwrap().value, Kind::Null);
    }

    #[test]
    fn aliases_are_filled_in_and_bounded() {
        let node = read("base: &b {x: 1}\nmore:\n  <<: *b\n  y: 2\n").unwrap();
        assert_eq!(node.path(&["more", "x"]).unwrap().number(), Some(1.0));
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let item = format!("*a{}", level - 1);
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![item; 10].join(", "));
        }
        assert!(read(&bomb).is_err());
        assert!(read(&format!("{}{}", "[".repeat(500), "]".repeat(500))).is_err());
    }
}
