//! Interpreters of programming languages: Python, Ruby, Perl, PHP, Lua, Tcl, R and Java.
//!
//! Each has options that load code from a folder (`-I`, `-cp`), from a module (`-r`, `-m`) or from the
//! command line (`-c`, `-e`). Folders become absolute paths, modules must be paths or belong to the
//! interpreter, and text is searched for relative paths.

use super::super::syntax::Syntax;
use super::super::syntax::Takes::{
    Code, Data, Exits, File, Folders, LastCode, LastModule, Local, Module, Program,
};

/// The syntax of each language.
pub(super) const ALL: &[Syntax] = &[
    Syntax {
        names: "python pypy pythonw",
        flags: "bBdEhiIOPqRsStuvVx?",
        takes: &[
            (LastCode, "-c"),
            (LastModule, "-m"),
            (Data, "-W -X -Q --check-hash-based-pycs"),
            (Exits, "-V -h --version --help"),
        ],
        ..Syntax::NONE
    },
    Syntax {
        names: "ruby jruby truffleruby",
        flags: "acdhlnpsSUvwyL",
        glued: "FiKTWx0",
        takes: &[
            (Folders, "-C -I -X"),
            (
                Data,
                "-E --encoding --external-encoding --internal-encoding --disable --enable \
                    --dump",
            ),
            (Code, "-e"),
            (Module, "-r"),
            (Exits, "--version --help"),
        ],
        alone: "--yjit* --jit* --rjit* --copyright --verbose --debug* --yydebug",
        ..Syntax::NONE
    },
    Syntax {
        names: "perl",
        flags: "acfghnpsStTuUvwWX",
        glued: "0CdDFilmMVx",
        takes: &[(Code, "-e -E"), (Folders, "-I"), (Exits, "-v -V -h")],
        ..Syntax::NONE
    },
    Syntax {
        names: "php",
        flags: "aChHilmnqsvwe",
        takes: &[
            (Program, "-f --file -F"),
            (Code, "-r --run -B -R -E"),
            (File, "-c --php-ini -z --zend-extension"),
            (Data, "-d --define -S"),
            (Folders, "-t"),
            (Exits, "-v -m -i --version --help"),
        ],
        alone: "--no-php-ini --no-header --syntax-check --strip --interactive",
        ..Syntax::NONE
    },
    Syntax {
        names: "lua luajit",
        flags: "EivW",
        glued: "jO",
        takes: &[(Code, "-e"), (Module, "-l"), (Data, "-b")],
        ..Syntax::NONE
    },
    Syntax {
        names: "tclsh wish expect",
        takes: &[(Data, "-encoding"), (Program, "-f"), (Code, "-c")],
        words: true,
        ..Syntax::NONE
    },
    Syntax {
        names: "Rscript",
        takes: &[(Code, "-e"), (Data, "--default-packages"), (Exits, "--version")],
        alone: "--vanilla --verbose --no-* --slave",
        ..Syntax::NONE
    },
    Syntax {
        names: "java",
        takes: &[
            (Program, "-jar"),
            (Folders, "-cp -classpath --class-path -p --module-path"),
            (Local, "-m --module"),
            (Data, "--add-modules --source"),
            (Exits, "-version --version"),
        ],
        alone: "-X* -D* -server -ea -da -verbose* --enable-* -XX*",
        words: true,
        ..Syntax::NONE
    },
];
