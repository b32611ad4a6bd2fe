//! Escapes of `$'…'`, `echo -e` and `printf`.

use super::Problem;
use super::parser::Parser;

impl<'t> Parser<'t> {
    /// Reads the text after `$'` and its end.
    pub(super) fn ansi_quoted(&mut self) -> String {
        let rest = self.rest();
        let mut end = None;
        let mut escaped = false;
        for (place, byte) in rest.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'\'' => {
                    end = Some(place);
                    break;
                }
                _ => {}
            }
        }
        if end.is_none() {
            self.fail(Problem::Unclosed);
        }
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.at += inside.len() + usize::from(end.is_some());
        unescape(inside, Escapes::Quotes)
    }
}

/// Whose escapes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// `$'…'`
    Quotes,
    /// `echo -e`, `printf %b`: an octal number begins with a zero.
    Echo,
    /// The format of `printf`.
    Printf,
}

/// Resolves backslash escapes.
pub(crate) fn unescape(text: &str, escapes: Escapes) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, after)) = rest.split_once('\\') {
        result.push_str(plain);
        let Some(sign) = after.chars().next() else {
            result.push('\\');
            return result;
        };
        rest = after.get(sign.len_utf8()..).unwrap_or_default();
        let simple = match sign {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'e' | 'E' => Some('\u{1b}'),
            'f' => Some('\u{c}'),
            'v' => Some('\u{b}'),
            '\\' => Some('\\'),
            '\'' | '"' | '?' if escapes != Escapes::Echo => Some(sign),
            _ => None,
        };
        if let Some(simple) = simple {
            result.push(simple);
            continue;
        }
        let code = match sign {
            'x' => number(&mut rest, 16, 2),
            'u' => number(&mut rest, 16, 4),
            'U' => number(&mut rest, 16, 8),
            '0' if escapes == Escapes::Echo => Some(number(&mut rest, 8, 3).unwrap_or(0)),
            '0'..='7' => {
                rest = after;
                number(&mut rest, 8, 3)
            }
            'c' if escapes == Escapes::Quotes => {
                let control = rest.chars().next();
                rest = rest.get(control.map_or(0, char::len_utf8)..).unwrap_or_default();
                control.map(|control| u32::from(control) & 0x1f)
            }
            _ => None,
        };
        match code.and_then(char::from_u32) {
            Some(character) => result.push(character),
            None => {
                result.push('\\');
                result.push(sign);
            }
        }
    }
    result.push_str(rest);
    result
}

fn number(rest: &mut &str, radix: u32, most: usize) -> Option<u32> {
    let length = rest.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
    let value = u32::from_str_radix(rest.get(..length)?, radix).ok()?;
    *rest = rest.get(length..)?;
    Some(value)
}
