//! What the tables say about the names in a run pattern: programs, their sub-commands, and what they can do.
//!
//! There are more programs than the tables have, and people have aliases. So only what is close to a name that is
//! known, or asks of a known program what it never does, is told.

use hookgate_contract::suggest::nearest;

use super::run_match::OneRun;
use super::run_words::AskedWord;
use super::text_glob::TextGlob;
use crate::programs::{MODE_PROGRAMS, has_verbs, is_listed, sub_commands};
use crate::shell::{is_known_program, never_starts_others};

/// Returns what is doubtful about the names of a pattern.
pub(super) fn doubt(asked: &OneRun) -> Option<String> {
    wrong_program(asked).or_else(|| wrong_sub_command(asked)).or_else(|| wrong_deed(asked))
}

/// Programs whose sub-commands are often written without them.
const WITH_SUB_COMMANDS: [&str; 6] = ["git", "docker", "kubectl", "terraform", "npm", "cargo"];

/// Programs that fetch code, which another one runs.
const FETCH: [&str; 4] = ["curl", "wget", "scp", "sftp"];

/// Sub-commands that scripts are called, too.
const NAMES_OF_SCRIPTS: &str = "bench boot bootstrap build bundle bump change check clean config create debug deploy \
    describe dev doc docs doctor down edit events exec export fetch fix fmt format generate get history images import \
    info init inspect inspector lint list load login logout logs new notes package port proxy ps report release repack \
    reset restart rename run save scan search serve server set setup show start stats status stop sync tag test top \
    tree unpause up update upgrade validate verify version wait watch";

/// Tells of a program that is known in other letters, or is a sub-command of a known one.
fn wrong_program(asked: &OneRun) -> Option<String> {
    let names: Vec<&str> = asked.program.iter().filter_map(TextGlob::literal).collect();
    let unknown = names.iter().filter(|name| !name.contains('/') && !is_known(name));
    for name in unknown {
        let lower = name.to_lowercase();
        if lower != **name && is_known(&lower) && !names.contains(&lower.as_str()) {
            return Some(format!(
                "the letters of a program are compared as they are, and the known one is `{lower}`; write `{lower}`, or \
                 `{name}|{lower}` for both"
            ));
        }
        let has = |program: &&&str| sub_commands(program).is_some_and(|all| all.contains(name));
        let is_script = NAMES_OF_SCRIPTS.split_ascii_whitespace().any(|script| script == *name);
        if let Some(program) =
            WITH_SUB_COMMANDS.iter().find(has).filter(|_| !is_script && names.len() == 1)
        {
            return Some(format!(
                "no program `{name}` is known, and `{program}` has a sub-command of that name; did you mean \
                 `{program} {name}`?"
            ));
        }
    }
    None
}

fn is_known(name: &str) -> bool {
    is_listed(name) || is_known_program(name)
}

/// Tells of a first word that no sub-command is called by.
fn wrong_sub_command(asked: &OneRun) -> Option<String> {
    let [program] = asked.program.as_slice() else { return None };
    let program = program.literal()?;
    let known = sub_commands(program)?;
    let AskedWord::OneOf(words) = asked.words.first()? else { return None };
    for word in words {
        let Some(literal) = word.literal() else {
            if known.iter().any(|name| word.takes(name)) {
                continue;
            }
            let why = format!("no sub-command of `{program}` is known that its first word fits");
            // `:*` and `.*` are what other systems write for any text.
            let sample = word.sample().unwrap_or_default();
            let bare = sample.split([':', '.']).next().unwrap_or_default();
            let meant = match known.contains(&bare) {
                true => format!("; write `{program} {bare}`, which takes any words behind it"),
                false => String::new(),
            };
            return Some(format!("{why}{meant}"));
        };
        if let Some((first, _)) = literal.split_once([' ', ',']) {
            let why = match literal.contains(',') {
                true => "a comma separates nothing; write a list of patterns",
                false => "words in quotes are one word; leave the quotes out",
            };
            return known.contains(&first).then(|| why.to_owned());
        }
        if known.contains(&literal) {
            continue;
        }
        let same = known.iter().find(|name| name.eq_ignore_ascii_case(literal)).copied();
        if let Some(near) =
            same.or_else(|| nearest(literal, &known)).filter(|near| *near != literal)
        {
            return Some(format!(
                "`{program}` has no `{literal}`; did you mean `{program} {near}`?"
            ));
        }
    }
    None
}

/// Tells of what is asked of programs that never do it.
fn wrong_deed(asked: &OneRun) -> Option<String> {
    let none_is = |does: &dyn Fn(&TextGlob) -> bool| {
        !asked.program.is_empty() && !asked.program.iter().any(does)
    };
    let takes_one_of =
        |glob: &TextGlob, names: &str| names.split_ascii_whitespace().any(|name| glob.takes(name));
    if asked.discards && none_is(&|glob| glob.takes("git")) {
        return Some(
            "`discards` is about work of git, and another program never has it".to_owned(),
        );
    }
    if !asked.mode.is_empty() && none_is(&|glob| takes_one_of(glob, MODE_PROGRAMS)) {
        return Some(format!(
            "its program gives no mode to a file; these do: {}",
            MODE_PROGRAMS.replace(' ', ", ")
        ));
    }
    if !asked.verb.is_empty() && none_is(&|glob| glob.literal().is_none_or(has_verbs)) {
        return Some(
            "its program is known and has no verbs; ask for its `words` and `flags`".to_owned(),
        );
    }
    let starts = |glob: &TextGlob| glob.literal().is_none_or(|name| !never_starts_others(name));
    let runs_code =
        |glob: &TextGlob| starts(glob) && !glob.literal().is_some_and(|name| FETCH.contains(&name));
    if !asked.code_from.is_empty() && none_is(&runs_code) {
        return Some(
            "its program runs no code; name the interpreter that gets it (`sh`, `python`), or leave `program` out"
                .to_owned(),
        );
    }
    if !asked.via.is_empty() && !asked.via.iter().any(starts) {
        return Some("what `via` names starts no other programs".to_owned());
    }
    None
}
