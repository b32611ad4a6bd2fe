//! The effects of a step: what it would do, whatever tool does it.

use crate::pushes::PushEffect;
use crate::run::Run;
use crate::word::Word;

/// What a step would do. A list that is empty means "nothing of the kind" only if nothing in
/// [`Effects::unclear`] touches it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// The programs, in the order of the text.
    pub runs: Vec<Run>,
    /// The files and folders that are read.
    pub reads: Vec<PathEffect>,
    /// The files and folders that are written or made.
    pub writes: Vec<PathEffect>,
    /// The files and folders that are removed or moved away.
    pub deletes: Vec<PathEffect>,
    /// The files and folders whose mode, owner, attributes or place in the tree of mounts changes: afterwards
    /// what is below them may be out of reach, or something else. Those whose mode changes are in
    /// [`Effects::writes`], too.
    pub access: Vec<PathEffect>,
    /// The hosts that are connected to.
    pub connects: Vec<HostEffect>,
    /// The variables of the environment whose values are shown.
    pub shows_env: Vec<VariableEffect>,
    /// The refs of remotes that are changed.
    pub pushes: Vec<PushEffect>,
    /// Paths that are named in the words of programs that are not known, or that a program may touch:
    /// whether they are read, written or deleted cannot be told. They make an answer about just these
    /// paths unknown, and say nothing about any other path.
    pub mentions: Vec<PathEffect>,
    /// What cannot be told before the step runs.
    pub unclear: Vec<Unclear>,
    /// Whether other programs may run than those in [`Effects::runs`]: something is unclear about
    /// programs, or a shell runs a file whose content is not seen, such as `bash x.sh`.
    pub more_programs: bool,
}

/// A path that is read, written or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEffect {
    /// The path: absolute and normalized where it is known. Parts that are not known are in it as
    /// they are in the word; a relative path in an unknown folder begins with an unknown part.
    pub path: Word,
    /// Whether everything below the path is meant as well: `rm -r`, `cp -r`, `tar`, `grep -r`.
    pub below: bool,
    /// For a file that is read: whether its content may come back to the model, go into another file or to another
    /// machine. A file that is only listed, or that a program uses for itself (`ssh -i KEY`), is not shown.
    pub shown: bool,
    /// Whether the path is followed if it is a link. A removal takes away the link itself.
    pub follows: bool,
    /// The path as the system walks it, if it has a `..` behind a name: that name may be a link.
    pub climbs: Option<Word>,
    /// The program or tool that does it.
    pub by: String,
    /// The place of that run in [`Effects::runs`]; `None` for a tool that is no shell.
    pub run: Option<usize>,
}

/// A variable of the environment whose value is shown: `printenv`, `echo $TOKEN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableEffect {
    /// Its name, or the part of a name that is looked for; `None` if all of them are shown.
    pub name: Option<String>,
    /// Whether the name is such a part: `env | grep -i token`.
    pub is_part: bool,
    /// The program that does it.
    pub by: String,
    /// The place of that run in [`Effects::runs`].
    pub run: Option<usize>,
}

/// A host that is connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostEffect {
    /// The name or address: lower case, without user, port, brackets and dot at the end.
    pub host: Word,
    /// The port, if it is known.
    pub port: Option<u16>,
    /// The program or tool that does it.
    pub by: String,
    /// The place of that run in [`Effects::runs`]; `None` for a tool that is no shell.
    pub run: Option<usize>,
}

/// Which effects something unclear may add to. It makes answers about these effects unknown and leaves
/// the others as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnclearWhat {
    /// Any effect at all: the text could not be read, or a tool has no manifest.
    Anything,
    /// Which program runs: `$CMD`, code from the network. It may read, write and connect, too.
    Program,
    /// Words of a program that is known.
    Words,
    /// A path that is read.
    Reads,
    /// A path that is written.
    Writes,
    /// A path that is deleted.
    Deletes,
    /// A host.
    Connects,
}

/// Something that cannot be told before the step runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    /// What it may add to.
    pub what: UnclearWhat,
    /// Why, in words that a person understands: `` `$CMD` is not known before it runs ``.
    pub why: String,
    /// The run that it is about; `None` if it is about the whole step.
    pub run: Option<usize>,
}

/// What must be known of a session to make paths absolute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The folder of the session, absolute.
    pub cwd: Option<String>,
    /// The home folder of the user.
    pub home: Option<String>,
}
