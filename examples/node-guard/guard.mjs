// No force push, no removal outside the project, no secrets in files.

import { ask, deny, run } from "./hookgate.mjs";

const FORCE_PUSH = /\bgit\s+push\b.*(\s--force\b|\s-f\b)/;
const REMOVAL = /\brm\s+(-\w+\s+)*(\/|~|\.\.)/;
const SECRET = /AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

run(({ tool_name: name, tool_input: { command = "", content = "" } }) => {
  if (name === "Bash" && FORCE_PUSH.test(command)) {
    return deny("force push is not allowed: push to a branch of your own");
  }
  if (name === "Bash" && REMOVAL.test(command)) {
    return ask("this removes files outside the project");
  }
  if (name === "Write" && SECRET.test(content)) {
    return deny("the file would hold a secret: read it from the environment");
  }
});
