use super::*;

fn words(line: &str) -> Vec<Word> {
    line.split_ascii_whitespace()
        .map(|word| match word.split_once('$') {
            None => Word::text(word),
            Some((start, name)) => {
                let mut whole = Word::default();
                if !start.is_empty() {
                    whole.push(WordPart::Text(start.to_owned()));
                }
                let splits = name.ends_with('!');
                whole.push(WordPart::Unknown { written: format!("${name}"), splits, plain: false });
                whole
            }
        })
        .collect()
}

/// Writes what was read as one line: options with their value, operands, `?` before unknown words.
fn show(table: &OptionTable<'_>, line: &str) -> String {
    let words = words(line);
    let read = read_options(table, &words);
    let mut shown: Vec<String> = read
        .given
        .iter()
        .map(|given| match given {
            Given::Option { name, long, value, listed, .. } => {
                let dash = if *long { "--" } else { "-" };
                let value =
                    value.as_ref().map(|value| format!("={}", value.written())).unwrap_or_default();
                let mark = if *listed { "" } else { "!" };
                format!("{dash}{name}{value}{mark}")
            }
            Given::Operand { word, .. } => word.written(),
            Given::Unknown { word, .. } => format!("?{}", word.written()),
        })
        .collect();
    if read.rest < words.len() {
        shown.push(format!("rest {}", read.rest));
    }
    shown.join(" ")
}

const RM: OptionTable<'static> = OptionTable {
    short_flags: "rfvi",
    long_flags: "recursive force verbose",
    abbreviations: true,
    ..OptionTable::NONE
};

#[test]
fn bundles_are_sets_and_flags_may_follow_operands() {
    assert_eq!(show(&RM, "-rf build -v"), "-r -f build -v");
    assert_eq!(show(&RM, "build --recursi --forc"), "build --recursive --force");
    assert_eq!(show(&RM, "-- -f"), "-f");
    assert_eq!(show(&RM, "-z --zap"), "-z! --zap!");
}

#[test]
fn an_abbreviation_must_be_unique() {
    let git = OptionTable {
        long_flags: "force force-with-lease",
        abbreviations: true,
        ..OptionTable::NONE
    };
    assert_eq!(show(&git, "--forc"), "--forc!");
    assert_eq!(show(&git, "--force --force-w"), "--force --force-with-lease");
}

#[test]
fn values_are_attached_or_the_next_word() {
    let table = OptionTable {
        short_value: "uo",
        short_optional: "i",
        long_value: "user",
        long_optional: "color",
        short_flags: "n",
        ..OptionTable::NONE
    };
    assert_eq!(show(&table, "-uroot -nu root -i -i.bak x"), "-u=root -n -u=root -i -i=.bak x");
    assert_eq!(
        show(&table, "--user root --user=me --color auto --color=no"),
        "--user=root --user=me --color auto --color=no"
    );
    assert_eq!(show(&table, "-o"), "-o");
}

#[test]
fn a_wrapper_stops_at_its_first_operand() {
    let table =
        OptionTable { short_value: "n", numbers: true, stop_at_operand: true, ..OptionTable::NONE };
    assert_eq!(show(&table, "-n 5 make -j"), "-n=5 rest 2");
    assert_eq!(show(&table, "--5 make -j"), "-=-5 rest 1");
    assert_eq!(show(&table, "-5 make -j"), "-=5 rest 1");
    assert_eq!(show(&table, "-- -x"), "rest 1");
    assert_eq!(show(&table, "$x make"), "rest 0");
}

#[test]
fn words_that_are_not_known_stay_visible() {
    assert_eq!(show(&RM, "$x"), "?$x");
    assert_eq!(show(&RM, "-- $x"), "$x");
    assert_eq!(show(&RM, "-- $x!"), "?$x!");
    assert_eq!(show(&RM, "/etc/$x"), "/etc/$x");
    assert_eq!(show(&RM, "-r$x"), "-r ?-r$x");
    assert_eq!(show(&RM, "--fo$x"), "?--fo$x");
    let output = OptionTable { short_value: "o", long_value: "output", ..OptionTable::NONE };
    assert_eq!(show(&output, "-o$x --output=a$x --output $x"), "-o=$x --output=a$x --output=$x");
}

#[test]
fn one_dash_may_begin_a_long_name() {
    let find = OptionTable { long_value: "name exec", dash_words: true, ..OptionTable::NONE };
    assert_eq!(show(&find, ". -name -exec -delete"), ". --name=-exec --delete!");
}

#[test]
fn names_are_looked_up_by_letter_and_by_word() {
    let table = OptionTable { short_value: "o", long_value: "output", ..OptionTable::NONE };
    let given = words("-o a --output=b c -v");
    let read = read_options(&table, &given);
    assert_eq!(read.value("o output").map(Word::written), Some("b".to_owned()));
    assert_eq!(read.values("o output").map(Word::written).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(read.operands().map(Word::written).collect::<Vec<_>>(), ["c"]);
    assert!(read.has("v") && !read.has("q quiet"));
    assert_eq!(read.unlisted(), Some("v"));
}
