//! The text form of a run pattern: `git push --force|-f`.

use hookgate_contract::look_alike::LookAlike;

use super::error::{PatternError, PatternFault, check_characters, check_text};
use super::other_syntax::{check_run, check_tool_rule};
use super::run_flags;
use super::run_match::OneRun;
use super::run_words::AskedWord;
use super::text_glob::{TextGlob, alternatives};
use crate::programs::{Program, named_program};

/// Reads a pattern: a program, then words in order, and options anywhere.
pub(super) fn parse(text: &str) -> Result<OneRun, PatternError> {
    check_text(text)?;
    // In quotes any character may be meant.
    check_characters(&outside_quotes(text)).map_err(|error| with_plain(error, text))?;
    check_tool_rule(text)?;
    check_run(text, |glob| parse(glob).is_ok())?;
    let tokens = tokens(text)?;
    let mut tokens = tokens.iter().peekable();
    let Some((at, program)) = tokens.next() else { return Err(PatternFault::Empty.at(0)) };
    check_program(text, program, tokens.peek().map_or("…", |(_, next)| next.as_str()))?;
    if program.starts_with('-') {
        return Err(PatternFault::NoProgram(program.clone()).at(*at));
    }
    let mut run = OneRun { program: programs(program)?, ..OneRun::default() };
    while let Some((at, token)) = tokens.next() {
        let shifted = |error: PatternError| error.in_pattern(0, *at);
        if token == "--" {
            run.words.push(AskedWord::EndOfOptions);
            // What follows are words, whatever they begin with.
            for (at, token) in tokens.by_ref() {
                let word = AskedWord::parse(token).map_err(|error| error.in_pattern(0, *at))?;
                run.words.push(word);
            }
            AskedWord::keep_first_end(&mut run.words)?;
            break;
        }
        if let Some(joins) = ["&&", "||", ";", ">", "<"].iter().find(|sign| token.contains(**sign))
        {
            return Err(PatternFault::Joins((*joins).to_owned()).at(*at));
        }
        let choices = alternatives(token).map_err(|error| match token.as_str() {
            "|" => PatternFault::Joins("|".to_owned()).at(*at),
            _ => shifted(error),
        })?;
        let options = choices.iter().filter(|(_, choice)| is_option(choice)).count();
        if options == 0 {
            run.words.push(AskedWord::parse(token).map_err(shifted)?);
        } else if choices.iter().any(|(_, choice)| choice == "--") {
            return Err(PatternFault::Dashes(token.clone()).at(*at));
        } else if let [(_, first), rest @ ..] = choices.as_slice()
            && options == 1
            && first.contains('=')
            && !rest.is_empty()
        {
            // `-X=PUT|DELETE`: alternatives of the value.
            let mut any = run_flags::parse(first).map_err(shifted)?;
            for (offset, value) in rest {
                let value = TextGlob::parse(value)
                    .map_err(|error| shifted(error.in_pattern(0, *offset)))?;
                any.iter_mut()
                    .flatten()
                    .for_each(|flag| flag.set_values(std::slice::from_ref(&value)));
            }
            run.flags.push(any);
        } else if options < choices.len() {
            return Err(PatternFault::MixedAlternatives(token.clone()).at(*at));
        } else {
            let mut any = run_flags::parse(token).map_err(shifted)?;
            if let Some(program) = program_of(&run)
                && any.iter().flatten().all(|flag| flag.takes_value(program))
                && let Some((at, value)) = tokens.next_if(|(_, next)| !is_option(next))
            {
                let values = programs(value).map_err(|error| error.in_pattern(0, *at))?;
                any.iter_mut().flatten().for_each(|flag| flag.set_values(&values));
            }
            run.flags.push(any);
        }
    }
    Ok(run)
}

/// Refuses a first word that is the name of no program.
fn check_program(text: &str, program: &str, next: &str) -> Result<(), PatternError> {
    if program.contains(char::is_whitespace) && !program.contains('/') {
        return Err(PatternFault::QuotedProgram(program.to_owned()).at(0));
    }
    if let Some((name, _)) = program.split_once('=')
        && text.starts_with(name)
        && is_variable(name)
    {
        let (assignment, program) = (program.to_owned(), next.to_owned());
        return Err(PatternFault::Assignment { assignment, program }.at(0));
    }
    Ok(())
}

/// Returns whether a text is the name of a variable, without wildcards.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns a text with a plain sign for each character that stands in quotes, of the same length.
fn outside_quotes(text: &str) -> String {
    let mut quote = None;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if open == c => quote = None,
            Some(_) => {
                out.extend(std::iter::repeat_n('_', c.len_utf8()));
                continue;
            }
            None => {}
        }
        out.push(c);
    }
    out
}

/// Puts the whole pattern into a proposal that was made without what stands in quotes.
fn with_plain(error: PatternError, text: &str) -> PatternError {
    match error.fault {
        PatternFault::LookAlike { found, .. } => {
            let instead = LookAlike::find(text).map_or_else(|| text.to_owned(), |odd| odd.plain);
            PatternFault::LookAlike { found, instead }.at(error.offset)
        }
        _ => error,
    }
}

/// Reads the alternatives of a program.
pub(super) fn programs(text: &str) -> Result<Vec<TextGlob>, PatternError> {
    let parse = |(offset, glob): (usize, String)| {
        TextGlob::parse(&glob).map_err(|error| error.in_pattern(0, offset))
    };
    alternatives(text)?.into_iter().map(parse).collect()
}

/// Reads a text of a table: alternatives of one word.
pub(super) fn one_word(text: &str) -> Result<Vec<TextGlob>, PatternError> {
    check_quotes(text)?;
    check_run(text, |glob| one_word(glob).is_ok())?;
    programs(text)
}

/// Refuses quotes around a text of a table: they would be a part of the word.
fn check_quotes(text: &str) -> Result<(), PatternError> {
    let within = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    match within('"').or_else(|| within('\'')).or_else(|| within('`')) {
        Some(bare) if !bare.is_empty() => Err(PatternFault::Quotes(bare.to_owned()).at(0)),
        _ => Ok(()),
    }
}

/// Reads the programs of a table.
pub(super) fn programs_of_table(text: &str) -> Result<Vec<TextGlob>, PatternError> {
    check_quotes(text)?;
    if let Some((name, _)) = text.split_once('=')
        && is_variable(name)
    {
        let (assignment, program) = (text.to_owned(), "…".to_owned());
        return Err(PatternFault::Assignment { assignment, program }.at(0));
    }
    let blank = text.find(char::is_whitespace);
    // A folder may have a blank in its name.
    match blank.filter(|_| !text.contains('/')) {
        Some(at) => Err(PatternFault::SeveralWords(text.to_owned()).at(at)),
        None => one_word(text),
    }
}

/// Reads a variable: `NAME` or `NAME=value`, globs both.
pub(super) fn variable(text: &str) -> Result<(TextGlob, Option<TextGlob>), PatternError> {
    let (name, value) =
        text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    Ok((variable_name(name)?, value.map(TextGlob::parse).transpose()?))
}

/// Reads a glob for the name of a variable.
pub(super) fn variable_name(name: &str) -> Result<TextGlob, PatternError> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_*?[]-!".contains(c);
    let first = name.chars().next().unwrap_or('=');
    if !name.chars().all(in_name) || first.is_ascii_digit() || first == '=' {
        return Err(PatternFault::VariableName(name.to_owned()).at(0));
    }
    TextGlob::parse(name)
}

/// Returns what the tables know of the program and the sub-commands of a pattern.
pub(super) fn program_of(run: &OneRun) -> Option<&'static Program> {
    let program = run.program.first()?.literal()?;
    let words = run.words.iter().map_while(AskedWord::literal);
    Some(named_program(program, words)?.0)
}

fn is_option(text: &str) -> bool {
    text.starts_with('-') && text.len() > 1
}

/// The words of a pattern with their offsets; quotes keep blanks.
fn tokens(text: &str) -> Result<Vec<(usize, String)>, PatternError> {
    let mut tokens: Vec<(usize, String)> = Vec::new();
    let mut quote: Option<(usize, char)> = None;
    let mut inside = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some((_, open)) if open == c => quote = None,
            None if c.is_whitespace() => {
                inside = false;
                continue;
            }
            None if matches!(c, '"' | '\'') => {
                quote = Some((at, c));
                if !inside {
                    tokens.push((at, String::new()));
                }
            }
            _ => {
                if !inside {
                    tokens.push((at, String::new()));
                }
                if let Some((_, token)) = tokens.last_mut() {
                    // Braces in quotes are no alternatives.
                    if quote.is_some() && matches!(c, '{' | '}') {
                        token.push('\\');
                    }
                    token.push(c);
                }
            }
        }
        inside = true;
    }
    match quote {
        Some((at, _)) => Err(PatternFault::OpenQuote.at(at)),
        None => Ok(tokens),
    }
}
