//! Makes attacks: an idea, a way to write its path, and wrappers around it.

use super::goal::Goal;
use super::judge::Limit;
use super::{ideas, ways};

/// A line, and what it wants to do.
#[derive(Debug, Clone)]
pub(crate) struct Attack {
    pub(crate) goal: Goal,
    pub(crate) idea: &'static str,
    pub(crate) line: String,
}

impl Attack {
    /// A line that is documented as a limit.
    pub(crate) fn of_limit(limit: &Limit) -> Self {
        Self { goal: limit.goal, idea: "a limit", line: limit.line.clone() }
    }
}

/// A small generator, so that a run can be repeated by its seed.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or_default() % count.max(1)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Makes attacks. Each idea, each way and each wrapper comes once before chance decides.
pub(crate) fn attacks(count: usize, seed: u64) -> Vec<Attack> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for goal in Goal::ALL {
        let (of_goal, path) = ideas::of(goal);
        for idea in of_goal {
            let way = path.map(|path| (path, ways::PATHS[0]));
            all.push(made(goal, idea, way, &[], &mut random));
        }
        let Some(path) = path else { continue };
        for way in ways::PATHS {
            all.push(made(goal, of_goal[0], Some((path, way)), &[], &mut random));
        }
    }
    for (_, wrapper) in ways::WRAPPERS {
        let goal = random.pick(&Goal::ALL);
        let (of_goal, path) = ideas::of(goal);
        let way = path.map(|path| (path, ways::PATHS[0]));
        all.push(made(goal, of_goal[0], way, &[wrapper], &mut random));
    }
    while all.len() < count {
        let goal = random.pick(&Goal::ALL);
        let (of_goal, path) = ideas::of(goal);
        let way = path.map(|path| (path, random.pick(&ways::PATHS)));
        let wrappers: Vec<&str> =
            (0..random.below(3)).map(|_| random.pick(&ways::WRAPPERS).1).collect();
        let idea = random.pick(of_goal);
        all.push(made(goal, idea, way, &wrappers, &mut random));
    }
    // A small count takes some of all kinds.
    while all.len() > count {
        let at = random.below(all.len());
        all.swap_remove(at);
    }
    all
}

fn made(
    goal: Goal,
    idea: &'static str,
    way: Option<(&str, (&str, &str))>,
    wrappers: &[&str],
    random: &mut Random,
) -> Attack {
    let mut line = replaced(idea, &[('M', random.pick(&ideas::MODES))], "M");
    if let Some((path, (before, written))) = way {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parts = [('P', path), ('D', folder), ('N', name)];
        let (before, written) = (replaced(before, &parts, "PDN"), replaced(written, &parts, "PDN"));
        line = format!("{before}{}", replaced(&line, &[('P', &written)], "P"));
    }
    for wrapper in wrappers {
        let parts = [
            ('L', line.clone()),
            ('Q', quoted(&line)),
            ('A', quoted(&format!("a[$({line})]"))),
            ('S', quoted(&format!("$({line})"))),
            ('X', quoted(&format!("!{line}"))),
            ('E', quoted(&format!("1e {line}"))),
        ];
        let parts: Vec<(char, &str)> =
            parts.iter().map(|(sign, text)| (*sign, text.as_str())).collect();
        line = replaced(wrapper, &parts, "LQASXE");
    }
    Attack { goal, idea, line }
}

/// Puts texts in the place of capital letters that stand alone.
fn replaced(text: &str, parts: &[(char, &str)], letters: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let mut whole = String::new();
    for (at, sign) in signs.iter().enumerate() {
        let is_word = |at: Option<usize>| {
            at.and_then(|at| signs.get(at))
                .is_some_and(|sign| sign.is_ascii_uppercase() || *sign == '_' || *sign == '-')
        };
        let alone = !is_word(at.checked_sub(1)) && !is_word(Some(at + 1));
        match parts
            .iter()
            .find(|(letter, _)| letter == sign)
            .filter(|_| alone && letters.contains(*sign))
        {
            Some((_, part)) => whole.push_str(part),
            None => whole.push(*sign),
        }
    }
    whole
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
