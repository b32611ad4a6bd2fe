// A step that is denied through the client, and one that is not, by the program that the package brings.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

import { Denied, spawn, toolStep } from "hookgate";

const hooks = new URL("../hooks.toml", import.meta.url).pathname;
const gate = await spawn(hooks, { events: ["pre_tool_use"] });
const server = readdirSync("/proc").find((name) => {
  if (!/^\d+$/.test(name)) return false;
  return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes("serve");
});
assert.equal(readlinkSync(`/proc/${server}/exe`), process.argv[2]);
assert.equal(await gate.step("s", toolStep("Bash", { command: "git push" }), () => "ran"), "ran");
const denied = gate.step("s", toolStep("Bash", { command: "git push --force" }), () => assert.fail("it ran"));
await assert.rejects(denied, (error) => error instanceof Denied && error.reason.includes("it rewrites"));
await gate.close();
