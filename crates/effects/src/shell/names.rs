//! Names of programs that the reader knows something about.

use std::collections::HashSet;
use std::sync::LazyLock;

const DANGEROUS: &str = "rm rmdir shred dd mkfs wipefs fdisk parted sfdisk shutdown reboot halt poweroff chmod chown \
        chgrp kill killall pkill sudo su doas bash sh zsh dash git curl wget ssh scp rsync docker podman kubectl helm \
        terraform aws gcloud az psql mysql mongosh redis-cli dropdb npm pip cargo python python3 perl ruby node \
        iptables nft mount umount systemctl crontab useradd userdel passwd nc ncat socat truncate unlink mv tee gh";

/// Whether the name is one that policies ask for: as a word of an unknown program it may be run.
pub(super) fn is_dangerous(word: &str) -> bool {
    static NAMES: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| DANGEROUS.split_ascii_whitespace().collect());
    const FOLDERS: [&str; 6] = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", ""];
    let (folder, base) = word.rsplit_once('/').unwrap_or(("", word));
    FOLDERS.contains(&folder) && (NAMES.contains(base) || base.starts_with("mkfs."))
}

/// Whether it is known of a program that it does not run its words.
pub(super) fn is_known(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        let lines =
            include_str!("known_programs.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_ascii_whitespace).collect()
    });
    NAMES.contains(name) || is_dangerous(name)
}
