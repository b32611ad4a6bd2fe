//! Shells, from `sh` to PowerShell.
//!
//! The text behind `-c` cannot be resolved (that would take a parser for each shell), so a relative
//! path in it is warned of. `-s`, and no script at all, would run the envelope from stdin and are
//! refused.

use super::super::syntax::Syntax;
use super::super::syntax::Takes::{
    Code, Data, Exits, File, Folders, LastCode, OperandIsCode, Program, Stdin,
};

/// The syntax of each shell.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: "bash rbash",
        flags: "abBCDeEfhHiklmnprtTuvxP",
        takes: &[
            (OperandIsCode, "-c"),
            (Stdin, "-s"),
            (Data, "-o -O +o +O"),
            (File, "--rcfile --init-file"),
            (Exits, "--version --help"),
        ],
        alone: "--debug --debugger --dump-po-strings --dump-strings --login --noediting \
                --noprofile --norc --posix --pretty-print --restricted --verbose",
        plus: true,
        ..Syntax::NONE
    },
    Syntax {
        names: "sh dash ash ksh mksh lksh zsh rksh oksh yash posh",
        flags: "aBbCdDeEfFgGhHiIkKlLmMnNpPqQrStTuUvVwWxXyYzZ0123456789",
        takes: &[
            (OperandIsCode, "-c"),
            (Stdin, "-s"),
            (Data, "-o -A +o +A --emulate"),
            (File, "--rcfile --init-file"),
            (Exits, "--version --help"),
        ],
        alone: "--login --noprofile --norc --posix --no-rcs --no-global-rcs",
        plus: true,
        ..Syntax::NONE
    },
    Syntax {
        names: "fish",
        flags: "iIlnNPhv",
        takes: &[
            (Code, "-c --command -C --init-command"),
            (Data, "-d --debug -o --debug-output -f --features"),
            (Exits, "-v --version"),
        ],
        alone: "--interactive --login --no-config --no-execute --private",
        ..Syntax::NONE
    },
    Syntax {
        names: "pwsh powershell",
        takes: &[
            (Program, "-file -f"),
            (LastCode, "-command -c -commandwithargs -cwa -encodedcommand -e -ec"),
            (
                Data,
                "-configurationname -custompipename -executionpolicy -ex -ep -inputformat \
                    -outputformat -windowstyle -w",
            ),
            (File, "-configurationfile -settingsfile"),
            (Folders, "-workingdirectory -wd"),
            (Exits, "-version -help"),
        ],
        alone: "-noprofile -nop -noninteractive -noni -nologo -nol -noexit -login -l -mta -sta \
                -interactive -i -noprofileloadtime",
        words: true,
        ..Syntax::NONE
    },
];
