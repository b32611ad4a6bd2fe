//! Promise: a real editor shows what the language server tells, while its user types.

use std::process::Command;

use hookgate_test_support::needs;

use crate::support::{Folder, run};

#[test]
fn neovim_shows_mistakes_until_they_are_mended() {
    if !needs::program("nvim") {
        return;
    }
    let folder = Folder::with_hooks(
        "[[hook]]\nid = \"a\"\nevent = \"pre_tool_us\"\ntol = \"Bash\"\n\
         builtin = { name = \"deny\", reason = \"no\" }\n",
    );
    let script = concat!("luafile ", env!("CARGO_MANIFEST_DIR"), "/tests/editor/neovim.lua");
    let mut editor = Command::new("nvim");
    editor
        .args(["--headless", "--clean", "-c", script, "hooks.toml"])
        .current_dir(folder.path(""))
        .env("HOOKGATE", env!("CARGO_BIN_EXE_hookgate"))
        .env("XDG_CONFIG_HOME", folder.path("configs-of-user"))
        .env("XDG_STATE_HOME", folder.path("state-of-user"));
    let ended = run(editor, b"");
    assert_eq!(ended.code(), 0, "{}{}", ended.out(), ended.err());
    assert_eq!(
        ended.out(),
        "3:9: unknown event `pre_tool_us`; did you mean `pre_tool_use`?\n\
         4:1: unknown key `tol`; did you mean `tool`?\n2\n0\n"
    );
}
