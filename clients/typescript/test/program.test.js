// Promise: command and client start the program of the package for this platform, and nothing runs if it is missing.

import assert from "node:assert/strict";
import { spawn as start } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const PLATFORM = `@hookgate/${process.platform}-${process.arch}`;

/** A folder as npm leaves it: this package, and beside it the one of the platform with the script as its program. */
function installed(t, script) {
  const folder = mkdtempSync(join(tmpdir(), "hookgate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, "node_modules", "hookgate");
  for (const name of ["bin", "index.js", "lib", "package.json"]) {
    cpSync(new URL(`../${name}`, import.meta.url), join(own, name), { recursive: true });
  }
  if (script !== undefined) {
    const platform = join(folder, "node_modules", PLATFORM);
    mkdirSync(join(platform, "bin"), { recursive: true });
    writeFileSync(join(platform, "package.json"), JSON.stringify({ name: PLATFORM, version: "0.0.0" }));
    writeFileSync(join(platform, "bin", "hookgate"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(platform, "bin", "hookgate"), 0o755);
  }
  return own;
}

/** Runs the command, and does something as soon as it has said a word. */
function command(own, args, { input = "", told = () => {} } = {}) {
  const child = start(process.execPath, [join(own, "bin", "hookgate.js"), ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stderr.on("data", (chunk) => (err += chunk));
  child.stdout.on("data", (chunk) => {
    if (out === "") told(child);
    out += chunk;
  });
  child.stdin.end(input);
  return new Promise((done) => child.once("close", (code, signal) => done({ code, signal, out, err })));
}

test("the command passes on arguments, input, output and code", async (t) => {
  const own = installed(t, 'printf "%s|" "$@"; cat; echo no >&2; exit 4');
  const ended = await command(own, ["eval", "-c", "a b"], { input: "a step" });
  assert.deepEqual(ended, { code: 4, signal: null, out: "eval|-c|a b|a step", err: "no\n" });
});

test("a signal reaches the program, and its end by a signal is that of the command", async (t) => {
  const own = installed(t, 'trap "exit 5" TERM; echo ready; for tenth in $(seq 300); do sleep 0.1; done');
  assert.equal((await command(own, [], { told: (child) => child.kill("SIGTERM") })).code, 5);
  const killed = await command(installed(t, "kill -KILL $$"), []);
  assert.equal(killed.signal, "SIGKILL");
});

test("without the package of the platform the command denies and names it", async (t) => {
  const ended = await command(installed(t), ["eval"], { input: "a step" });
  assert.equal(ended.code, 2);
  assert.ok(ended.err.includes(`the package ${PLATFORM} is not installed`), ended.err);
});

test("a program that cannot be started is a deny", async (t) => {
  const own = installed(t, "exit 0");
  chmodSync(join(own, "..", PLATFORM, "bin", "hookgate"), 0o644);
  const ended = await command(own, ["eval"]);
  assert.equal(ended.code, 2);
  assert.match(ended.err, /cannot be started/);
});

test("the client starts the program of the package, and names it if it is missing", async (t) => {
  const said = '{"jsonrpc":"2.0","id":1,"result":{"protocol":1,"hookgate":"of the package","generation":1,"config_hash":"","unenforced":[]}}';
  const own = installed(t, `read line; echo '${said}'; cat >/dev/null`);
  const client = await import(pathToFileURL(join(own, "index.js")));
  const gate = await client.spawn(null, { events: ["pre_tool_use"] });
  assert.equal(gate.greeting.hookgate, "of the package");
  await gate.close();

  const bare = await import(pathToFileURL(join(installed(t), "index.js")));
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  t.after(() => (process.env.PATH = path));
  await assert.rejects(bare.spawn(null, { events: ["pre_tool_use"] }), (error) => {
    assert.ok(error instanceof bare.Lost);
    return error.message.includes(PLATFORM);
  });
});
