//! What a word of a program is to it.

/// What a word is to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Text that is no path and no host.
    Text,
    /// A path.
    Path(PathRole),
    /// A file, or a folder in which the files get the names of those that are copied.
    Destination,
    /// An address with or without a scheme: `https://a.com/x`, `a.com/x`.
    Url,
    /// An address with a scheme, `host:path` of git, or the name of a remote.
    Remote,
    /// The same, but only if it has a scheme or is `host:path`; else text.
    MaybeUrl,
    /// The same; else a path that is read.
    UrlOrRead,
    /// `[user@]host[:port]`
    Host,
    /// The port of the host before it.
    Port,
    /// `host:path`, or else a path that is read.
    CopySource,
    /// The same, and the path is removed after it was copied.
    MoveSource,
    /// `host:path`, or else a path that is written.
    CopyDestination,
    /// The same, and what is below it and not in the sources is removed: `rsync --delete`.
    Mirror,
    /// `host:path`, or else a path with which nothing is done.
    Elsewhere,
    /// `REVISION:path` of git, or else text.
    GitObject,
    /// The same, or else a path that is read with what is below it; a revision looks like one.
    GitFile,
    /// A word of a script, which may be a path.
    Mention,
    /// An image of a container, which may begin with its registry.
    Image,
    /// `HOST:CONTAINER`: a path that a container sees.
    Mount,
    /// `type=bind,source=PATH,target=…`
    MountSpec,
    /// `@FILE`, or else text.
    AtFile,
    /// `name=@FILE`, `name=<FILE`, or else text.
    FormFile,
    /// A word of HTTPie: a method, an address, `NAME=VALUE`, `NAME@FILE`, `NAME=@FILE`.
    HttpItem,
    /// `@FILE`, `name@FILE`; what has a `=` before is text.
    EncodedFile,
    /// The folder in which the program works: its other paths start there.
    Folder,
    /// `@server`, or a name to ask for.
    Dns,
    /// `TCP:host:port`, `FILE:path`, … of socat.
    Socat,
    /// `key=value` of dd.
    Dd,
    /// `key=PATH`: only the part after `=` is a path that is read.
    KeyFile,
    /// `key=value` of ssh `-o`.
    SshOption,
}

/// What is done with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PathRole {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) deletes: bool,
    /// Who may use it, and what is below it, changes.
    pub(crate) access: bool,
    /// With everything below, whatever the options say.
    pub(crate) below: bool,
    /// For a path that is read: the program uses it and shows it to nobody.
    pub(crate) used: bool,
}

/// The roles of operands, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Roles {
    before: Vec<Role>,
    repeated: Option<Role>,
    after: Vec<Role>,
    /// What the first operand of note is if none is given: `write/=.`
    default: Option<String>,
}

impl Role {
    /// Reads a role of the tables; `None` if there is no such role.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "text" => Self::Text,
            "dest" => Self::Destination,
            "url" => Self::Url,
            "remote" => Self::Remote,
            "maybe-url" => Self::MaybeUrl,
            "url-or-read" => Self::UrlOrRead,
            "host" => Self::Host,
            "port" => Self::Port,
            "copy-source" => Self::CopySource,
            "move-source" => Self::MoveSource,
            "copy-dest" => Self::CopyDestination,
            "mirror" => Self::Mirror,
            "elsewhere" => Self::Elsewhere,
            "git-object" => Self::GitObject,
            "git-file" => Self::GitFile,
            "mention" => Self::Mention,
            "image" => Self::Image,
            "mount" => Self::Mount,
            "mount-spec" => Self::MountSpec,
            "at-file" => Self::AtFile,
            "form" => Self::FormFile,
            "http-item" => Self::HttpItem,
            "encoded-file" => Self::EncodedFile,
            "folder" => Self::Folder,
            "dns" => Self::Dns,
            "socat" => Self::Socat,
            "dd" => Self::Dd,
            "key-file" => Self::KeyFile,
            "ssh-option" => Self::SshOption,
            path => {
                let mut role = PathRole::default();
                let (names, below) =
                    path.strip_suffix('/').map_or((path, false), |names| (names, true));
                role.below = below;
                for name in names.split('+') {
                    match name {
                        "read" => role.reads = true,
                        "use" => (role.reads, role.used) = (true, true),
                        "write" => role.writes = true,
                        "delete" => role.deletes = true,
                        "access" => role.access = true,
                        _ => return None,
                    }
                }
                Self::Path(role)
            }
        })
    }
}

impl Roles {
    /// Reads the roles of operands, such as `text read...` or `read... dest`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut roles = Self::default();
        for written in text.split_ascii_whitespace() {
            let (written, default) = written.split_once('=').unwrap_or((written, ""));
            if !default.is_empty() {
                roles.default = Some(default.to_owned());
            }
            let (name, repeats) =
                written.strip_suffix("...").map_or((written, false), |name| (name, true));
            let role = Role::parse(name)?;
            match (repeats, roles.repeated) {
                (true, None) => roles.repeated = Some(role),
                (true, Some(_)) => return None,
                (false, None) => roles.before.push(role),
                (false, Some(_)) => roles.after.push(role),
            }
        }
        Some(roles)
    }

    /// Returns what the first operand that is no text is if none is given.
    pub(crate) fn default_operand(&self) -> Option<&str> {
        self.default.as_deref()
    }

    /// Returns the place of the first operand that is no text.
    pub(crate) fn first_of_note(&self) -> Option<usize> {
        let before = self.before.iter().position(|role| *role != Role::Text);
        let repeated = self.repeated.filter(|role| *role != Role::Text);
        before.or(repeated.map(|_| self.before.len()))
    }

    /// Returns the role of the operand at a place among `count` ones. The last roles go first to the last
    /// operands, the first ones to those that are left, and the repeated one takes what remains.
    pub(crate) fn of(&self, at: usize, count: usize) -> Role {
        let tail = count.saturating_sub(self.after.len()).max(self.before.len());
        if at >= tail
            && let Some(role) = self.after.get(at - tail)
        {
            return *role;
        }
        self.before.get(at).copied().or(self.repeated).unwrap_or(Role::Text)
    }
}
