//! Filters, which take program text and then files: `awk`, `jq` and `sed`.
//!
//! The first operand is the program, unless an option gave it (`-f rules.jq`); the others are files
//! that the program reads.

use super::super::syntax::Takes::{
    Code, Data, Exits, File, Folders, NameAndFile, OperandIsFile, Program, Several,
};
use super::super::syntax::{Syntax, Then};

/// The syntax of each filter.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: "awk gawk mawk nawk original-awk",
        flags: "bcCgkMnNOPrsSthIV",
        glued: "dDopL",
        takes: &[
            (Program, "-f --file -E --exec"),
            (Code, "-e --source"),
            (File, "-i --include -l --load"),
            (Data, "-v --assign -F --field-separator -W"),
            (Exits, "--version --help"),
        ],
        alone: "--posix --traditional --sandbox --bignum --re-interval --optimize \
                --characters-as-bytes --non-decimal-data --use-lc-numeric --csv",
        then: Then::CodeAndFiles,
        ..Syntax::NONE
    },
    Syntax {
        names: "jq gojq jaq",
        flags: "acCeghijMnrRsSV0",
        takes: &[
            (OperandIsFile, "-f --from-file"),
            (Folders, "-L --library-path"),
            (Several(2), "--arg --argjson"),
            (NameAndFile, "--slurpfile --rawfile --argfile"),
            (Data, "--indent"),
            (Exits, "-h -V --version --help"),
        ],
        alone: "--args --jsonargs --compact-output --null-input --exit-status --raw-input \
                --raw-output* --join-output --ascii-output --slurp --seq --stream* --sort-keys \
                --tab --color-output --monochrome-output --unbuffered --binary",
        then: Then::CodeAndFiles,
        permutes: true,
        ..Syntax::NONE
    },
    Syntax {
        names: "sed gsed",
        flags: "nErsuzb",
        glued: "i",
        takes: &[
            (Program, "-f --file"),
            (Code, "-e --expression"),
            (Data, "-l --line-length"),
            (Exits, "--version --help"),
        ],
        alone: "--quiet --silent --debug --follow-symlinks --in-place --posix --regexp-extended \
                --separate --sandbox --unbuffered --null-data",
        then: Then::CodeAndFiles,
        permutes: true,
        ..Syntax::NONE
    },
];
