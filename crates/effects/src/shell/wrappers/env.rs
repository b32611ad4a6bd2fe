//! `env`, with its `-S` that splits one word into many.

use super::super::start::Launch;
use super::super::walk::Walker;
use super::take_assignments;
use crate::effects::UnclearWhat;
use crate::options::{Given, OptionTable, read_options};
use crate::word::Word;

const ENV: OptionTable<'static> = OptionTable {
    short_value: "uCSaP",
    short_flags: "iv0L",
    long_value: "unset chdir split-string argv0",
    long_optional: "block-signal default-signal ignore-signal",
    long_flags: "ignore-environment null debug list-signal-handling help version",
    abbreviations: true,
    stop_at_operand: true,
    ..OptionTable::NONE
};

impl Walker<'_> {
    pub(super) fn env(&mut self, name: &str, args: &[Word], by: usize, env: &[(String, Word)]) {
        let mut words = args.to_vec();
        // `-S` inside of `-S` comes to an end: each round takes one of them away.
        for _ in 0..4 {
            let read = read_options(&ENV, &words);
            let split = read.given.iter().find_map(|given| match given {
                Given::Option { name, value: Some(value), at, .. }
                    if name == "S" || name == "split-string" =>
                {
                    Some((value.clone(), *at))
                }
                _ => None,
            });
            let Some((value, at)) = split else { break };
            let attached =
                words.get(at).is_some_and(|word| word.written().len() > value.written().len());
            let after = if attached { at + 1 } else { at + 2 };
            let Some(text) = value.known().filter(|text| !text.contains("${")) else {
                self.unclear(
                    UnclearWhat::Program,
                    "what `env -S` splits is not known before it runs",
                    Some(by),
                );
                return;
            };
            let mut whole: Vec<Word> = words.get(..at).unwrap_or_default().to_vec();
            // `-vS…`: the letters before it stay.
            if let Some(Given::Option { .. }) = read.given.first()
                && let Some(folder) = read.value("C chdir")
            {
                whole.extend([Word::text("-C"), folder.clone()]);
            }
            whole.extend(split_string(&text).into_iter().map(Word::text));
            whole.extend(words.get(after..).unwrap_or_default().iter().cloned());
            words = whole;
        }
        let read = read_options(&ENV, &words);
        if read.has("help version list-signal-handling") {
            return;
        }
        self.check_options(&read, &words, name, by);
        let mut launch = Launch { env: env.to_vec(), ..Launch::default() };
        let rest = words.get(read.rest..).unwrap_or_default();
        // A lone `-` is `-i`.
        let rest = match rest {
            [dash, rest @ ..] if dash.known().as_deref() == Some("-") => rest,
            rest => rest,
        };
        let rest = take_assignments(rest, &mut launch.env);
        self.check_splits(&words, rest, name, by);
        let folder = read.value("C chdir").cloned();
        if !rest.is_empty() {
            self.in_folder(folder.as_ref(), |walker| walker.start_by(name, rest, launch));
        }
    }
}

/// Splits as `env -S` does: quotes, `\_` for a blank, a comment at the beginning of a word.
fn split_string(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut current: Option<String> = None;
    let mut quote = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), sign) if sign == open => quote = None,
            (Some('\''), sign) => current.get_or_insert_default().push(sign),
            (_, '\\') => match signs.next() {
                Some('_') if quote.is_none() => words.extend(current.take()),
                Some('_') => current.get_or_insert_default().push(' '),
                Some('n') => current.get_or_insert_default().push('\n'),
                Some('t') => current.get_or_insert_default().push('\t'),
                Some('c') | None => break,
                Some(escaped) => current.get_or_insert_default().push(escaped),
            },
            (Some(_), sign) => current.get_or_insert_default().push(sign),
            (None, '\'' | '"') => {
                quote = Some(sign);
                current.get_or_insert_default();
            }
            (None, '#') if current.is_none() => break,
            (None, sign) if sign.is_ascii_whitespace() => words.extend(current.take()),
            (None, sign) => current.get_or_insert_default().push(sign),
        }
    }
    words.extend(current);
    words
}
