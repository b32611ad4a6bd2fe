//! A matcher of globs that tries everything, to compare the real one with.

/// Whether a glob matches a text as a whole, by trying everything.
pub fn naive_glob(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    alternatives(&glob).iter().any(|plain| naive(plain, &text))
}

/// The globs without braces that a glob expands to.
pub fn alternatives(glob: &[char]) -> Vec<Vec<char>> {
    let Some(open) = find(glob, '{') else { return vec![glob.to_vec()] };
    let (mut depth, mut at, mut start) = (1, open + 1, open + 1);
    let mut parts = Vec::new();
    while depth > 0 {
        match glob[at] {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && glob[at] == ',') {
            parts.push(&glob[start..at]);
            start = at + 1;
        }
        at += piece_length(&glob[at..]);
    }
    let whole = |part: &&[char]| [&glob[..open], part, &glob[at..]].concat();
    parts.iter().map(whole).flat_map(|glob| alternatives(&glob)).collect()
}

/// The index of the first such character that is neither escaped nor in a class.
fn find(glob: &[char], wanted: char) -> Option<usize> {
    let mut at = 0;
    while at < glob.len() && glob[at] != wanted {
        at += piece_length(&glob[at..]);
    }
    (at < glob.len()).then_some(at)
}

/// The length of the class, the escape or the character at the start of a glob.
pub fn piece_length(glob: &[char]) -> usize {
    match glob[0] {
        '[' => class_length(glob),
        '\\' => 2,
        _ => 1,
    }
}

/// The length of the class at the start of a glob, brackets included.
fn class_length(glob: &[char]) -> usize {
    let mut at = if matches!(glob[1], '!' | '^') { 2 } else { 1 };
    let first = at;
    while glob[at] != ']' || at == first {
        at += if glob[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// A glob without braces.
fn naive(glob: &[char], text: &[char]) -> bool {
    let Some(&first) = glob.first() else { return text.is_empty() };
    match first {
        '*' => naive(&glob[1..], text) || (!text.is_empty() && naive(glob, &text[1..])),
        '?' => !text.is_empty() && naive(&glob[1..], &text[1..]),
        '[' => {
            let end = class_length(glob);
            !text.is_empty()
                && in_class(&glob[1..end - 1], text[0])
                && naive(&glob[end..], &text[1..])
        }
        '\\' => text.first() == Some(&glob[1]) && naive(&glob[2..], &text[1..]),
        c => text.first() == Some(&c) && naive(&glob[1..], &text[1..]),
    }
}

/// Whether a class, given without its brackets, contains a character.
pub fn in_class(class: &[char], c: char) -> bool {
    let negated = matches!(class[0], '!' | '^');
    let mut rest = &class[usize::from(negated)..];
    let mut hit = false;
    let take = |rest: &mut &[char]| {
        let (c, used) = if rest[0] == '\\' { (rest[1], 2) } else { (rest[0], 1) };
        *rest = &rest[used..];
        c
    };
    while !rest.is_empty() {
        let start = take(&mut rest);
        let mut end = start;
        if rest.len() > 1 && rest[0] == '-' {
            rest = &rest[1..];
            end = take(&mut rest);
        }
        hit |= (start..=end).contains(&c);
    }
    hit != negated
}

/// Whether the patterns of `tool` or `agent` take a name in: one of those without `!`, or there is
/// none of these, and none of those with it.
pub fn naive_names(patterns: &[String], name: &str) -> bool {
    let (mut wanted, mut any_wanted) = (false, false);
    for pattern in patterns {
        let (negated, rest) =
            pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
        let hit = bars(rest).iter().any(|part| naive_glob(part, name));
        if negated && hit {
            return false;
        }
        if !negated {
            any_wanted = true;
            wanted |= hit;
        }
    }
    wanted || !any_wanted
}

/// The parts between the `|` that are outside classes.
fn bars(pattern: &str) -> Vec<String> {
    let chars: Vec<char> = pattern.chars().collect();
    let (mut parts, mut rest) = (vec![String::new()], &chars[..]);
    while let Some(&first) = rest.first() {
        let length = piece_length(rest);
        if first == '|' {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is one").extend(&rest[..length]);
        }
        rest = &rest[length..];
    }
    parts
}
