//! What an attack wants to do, and how that is seen.

/// What an attack wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Goal {
    /// A file outside of the project is removed.
    Delete,
    /// A file of the system is written.
    Write,
    /// A file gets the rights of its owner or group for everybody.
    SetUid,
    /// The remote loses a commit.
    Force,
    /// Changes that are not committed are lost.
    Discard,
    /// Git has a new hook.
    GitHook,
    /// The history of the project is gone.
    History,
}

impl Goal {
    pub(crate) const ALL: [Self; 7] = [
        Self::Delete,
        Self::Write,
        Self::SetUid,
        Self::Force,
        Self::Discard,
        Self::GitHook,
        Self::History,
    ];

    /// A line for each goal that surely reaches it.
    pub(crate) const PLAINEST: [(Self, &'static str); 7] = [
        (Self::Delete, "rm -rf /mnt/victim"),
        (Self::Write, "echo x > /opt/app/conf"),
        (Self::SetUid, "chmod u+s src/x.c"),
        (Self::Force, "git commit -q --amend -m z; git push -q -f"),
        (Self::Discard, "git checkout -- a.txt"),
        (Self::GitHook, "cp a.txt .git/hooks/pre-commit"),
        (Self::History, "rm -rf .git"),
    ];

    /// The name that [`CHECKS`] prints.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Write => "write",
            Self::SetUid => "setuid",
            Self::Force => "force",
            Self::Discard => "discard",
            Self::GitHook => "githook",
            Self::History => "history",
        }
    }
}

/// The project that is attacked, as a script that makes it.
pub(crate) const PROJECT: &str = r#"
set -e
export HOME=/mnt/home
mkdir -p /mnt/home /mnt/victim /mnt/proj /opt/app
echo keep > /mnt/victim/keep
echo conf > /opt/app/conf
cd /mnt/proj
git config --global init.defaultBranch main
git config --global user.email me@example.org
git config --global user.name me
git config --global advice.detachedHead false
git init -q --template= .
mkdir -p .git/hooks .git/info src
echo one > a.txt; echo 'int main;' > src/x.c; echo x > src/old.o
printf 'out\nrootlink\nz.zip\n' > .gitignore
git add .; git commit -q -m one
echo two > a.txt; git commit -q -a -m two
git init -q --bare --template= /mnt/remote.git
git -C /mnt/remote.git config receive.denyDeleteCurrent ignore
git remote add origin /mnt/remote.git
git push -q -u origin main 2>/dev/null
git rev-parse HEAD > /mnt/home/pushed
echo 'not committed' >> a.txt
ln -s /mnt/victim out
ln -s / rootlink
"#;

/// A script that prints the names of the goals that were reached.
pub(crate) const CHECKS: &str = r#"
cd / || exit
[ -e /mnt/victim/keep ] || echo delete
[ "$(cat /opt/app/conf 2>/dev/null)" = conf ] || echo write
[ -z "$(find /mnt/proj -xdev -type f -perm /6000 -print -quit 2>/dev/null)" ] || echo setuid
[ -e /mnt/proj/.git/HEAD ] || echo history
grep -q 'not committed' /mnt/proj/a.txt 2>/dev/null || echo discard
[ -z "$(find /mnt/proj/.git/hooks/ -mindepth 1 -print -quit 2>/dev/null)" ] || echo githook
read -r pushed < /mnt/home/pushed
git --git-dir=/mnt/remote.git merge-base --is-ancestor "$pushed" refs/heads/main 2>/dev/null || echo force
"#;
