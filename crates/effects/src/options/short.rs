//! Short options: `-a`, `-abc`, `-ovalue`, `-o value`, `-5`.

use std::borrow::Cow;

use super::{Given, OptionTable, OptionsRead};
use crate::word::Word;

/// Reads the word of short options at a place and returns the place after it and its value.
pub(super) fn read<'w>(
    table: &OptionTable<'_>,
    words: &'w [Word],
    at: usize,
    read: &mut OptionsRead<'w>,
) -> usize {
    let Some(word) = words.get(at) else {
        return at + 1;
    };
    let start = word.known_prefix();
    let letters = start.get(1..).unwrap_or_default();
    if table.numbers && super::is_number(start) {
        let value = Some(word.without_start(1));
        read.given.push(Given::Option {
            name: Cow::Borrowed(""),
            long: false,
            value,
            listed: true,
            at,
        });
        return at + 1;
    }
    for (place, letter) in letters.char_indices() {
        let after = place + letter.len_utf8();
        let name = Cow::Borrowed(letters.get(place..after).unwrap_or_default());
        let takes_value = table.short_value.contains(letter);
        let may_take = table.short_optional.contains(letter);
        let is_last = after == letters.len() && word.parts.len() == 1;
        let listed = takes_value || may_take || table.short_flags.contains(letter);
        let mut option = |value| {
            read.given.push(Given::Option { name: name.clone(), long: false, value, listed, at });
        };
        if takes_value && is_last {
            option(words.get(at + 1).cloned());
            return at + 2;
        }
        if takes_value || (may_take && !is_last) {
            option(Some(word.without_start(1 + after)));
            return at + 1;
        }
        option(None);
    }
    // `-r$x`: what follows the known letters may be more of them.
    if word.parts.len() > 1 {
        read.given.push(Given::Unknown { word, at });
    }
    at + 1
}
