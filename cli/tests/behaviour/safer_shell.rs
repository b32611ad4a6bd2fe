//! Promise: `safer_shell` says of each call what it does at worst and how far that reaches, and decides nothing.

use crate::support::{Folder, bash};

const HOOKS: &str =
    "[[hook]]\nid = \"class\"\nevent = \"pre_tool_use\"\nbuiltin = \"safer_shell\"\n";

/// Row E7.
#[test]
fn a_call_is_told_with_its_class() {
    let folder = Folder::with_hooks(HOOKS);
    for (command, label, radius, category) in [
        ("ls -l", "read_only", "none", "read"),
        ("cat /etc/passwd", "read_only", "none", "read"),
        ("echo x > a.txt", "mutating", "project", "write"),
        ("echo x > /etc/hosts", "mutating", "machine", "write"),
        ("rm -r build", "destructive", "project", "delete"),
        ("rm -r build /srv/data", "destructive", "machine", "delete"),
        ("curl https://example.com/", "network", "network", "network"),
        ("git push --force origin main", "destructive", "network", "push"),
        ("$TOOL --now", "mutating", "unclear", "unclear"),
        // No file is named, and still something changes.
        ("git reset --hard", "mutating", "unclear", "unclear"),
        ("sudo shutdown now", "mutating", "unclear", "unclear"),
        ("./unknown", "mutating", "unclear", "unclear"),
        ("echo x > a; eval $X", "mutating", "unclear", "unclear"),
        ("git push origin main; git push --force origin x", "destructive", "network", "push"),
    ] {
        let mut step: serde_json::Value = serde_json::from_str(&bash(command)).unwrap();
        step["cwd"] = "/home/u/project".into();
        let ended = folder.run(&["eval"], step.to_string());
        assert_eq!(ended.code(), 0, "{command}: {}", ended.err());
        let record = &ended.lines()[0];
        assert_eq!((&record["decision"], &record["by"]), (&"allow".into(), &serde_json::json!([])));
        let told = &record["annotations"];
        let told =
            ["safety_label", "blast_radius", "category"].map(|key| told[key].as_str().unwrap());
        assert_eq!(told, [label, radius, category], "{command}: {}", record["annotations"]);
        assert!(!record["annotations"]["reason"].as_str().unwrap().is_empty());
    }
}
