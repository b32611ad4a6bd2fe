//! Interpreters of programming languages.

use super::super::syntax::Syntax;
use super::super::syntax::Takes::{
    Code, Data, File, Folders, LastCode, LastModule, Local, Module, Nothing, Program,
};

pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: &["python", "pypy", "pythonw"],
        flags: "bBdEhiIOPqRsStuvVx?",
        takes: &[
            ("-c", LastCode),
            ("-m", LastModule),
            ("-W", Data),
            ("-X", Data),
            ("-Q", Data),
            ("--check-hash-based-pycs", Data),
            ("-V", Nothing),
            ("-h", Nothing),
            ("--version", Nothing),
            ("--help", Nothing),
        ],
        ..Syntax::NONE
    },
    Syntax {
        names: &["ruby", "jruby", "truffleruby"],
        flags: "acdhlnpsSUvwyL",
        glued: "FiKTWx0",
        takes: &[
            ("-C", Folders),
            ("-E", Data),
            ("-e", Code),
            ("-I", Folders),
            ("-r", Module),
            ("-X", Folders),
            ("--encoding", Data),
            ("--external-encoding", Data),
            ("--internal-encoding", Data),
            ("--disable", Data),
            ("--enable", Data),
            ("--dump", Data),
            ("--version", Nothing),
            ("--help", Nothing),
        ],
        alone: &[
            "--yjit*",
            "--jit*",
            "--rjit*",
            "--copyright",
            "--verbose",
            "--debug*",
            "--yydebug",
        ],
        ..Syntax::NONE
    },
    Syntax {
        names: &["perl"],
        flags: "acfghnpsStTuUvwWX",
        glued: "0CdDFilmMVx",
        takes: &[
            ("-e", Code),
            ("-E", Code),
            ("-I", Folders),
            ("-v", Nothing),
            ("-V", Nothing),
            ("-h", Nothing),
        ],
        ..Syntax::NONE
    },
    Syntax {
        names: &["php"],
        flags: "aChHilmnqsvwe",
        takes: &[
            ("-f", Program),
            ("--file", Program),
            ("-r", Code),
            ("--run", Code),
            ("-B", Code),
            ("-R", Code),
            ("-E", Code),
            ("-F", Program),
            ("-c", File),
            ("--php-ini", File),
            ("-d", Data),
            ("--define", Data),
            ("-z", File),
            ("--zend-extension", File),
            ("-t", Folders),
            ("-S", Data),
            ("-v", Nothing),
            ("-m", Nothing),
            ("-i", Nothing),
            ("--version", Nothing),
            ("--help", Nothing),
        ],
        alone: &["--no-php-ini", "--no-header", "--syntax-check", "--strip", "--interactive"],
        ..Syntax::NONE
    },
    Syntax {
        names: &["lua", "luajit"],
        flags: "EivW",
        glued: "jO",
        takes: &[("-e", Code), ("-l", Module), ("-b", Data)],
        ..Syntax::NONE
    },
    Syntax {
        names: &["tclsh", "wish", "expect"],
        takes: &[("-encoding", Data), ("-f", Program), ("-c", Code)],
        words: true,
        ..Syntax::NONE
    },
    Syntax {
        names: &["Rscript"],
        takes: &[("-e", Code), ("--default-packages", Data), ("--version", Nothing)],
        alone: &["--vanilla", "--verbose", "--no-*", "--slave"],
        ..Syntax::NONE
    },
    Syntax {
        names: &["java"],
        takes: &[
            ("-jar", Program),
            ("-cp", Folders),
            ("-classpath", Folders),
            ("--class-path", Folders),
            ("-p", Folders),
            ("--module-path", Folders),
            ("-m", Local),
            ("--module", Local),
            ("--add-modules", Data),
            ("--source", Data),
            ("-version", Nothing),
            ("--version", Nothing),
        ],
        alone: &["-X*", "-D*", "-server", "-ea", "-da", "-verbose*", "--enable-*", "-XX*"],
        words: true,
        ..Syntax::NONE
    },
];
