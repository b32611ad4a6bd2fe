// What the tests run against: the program, and hooks for it.

import assert from "node:assert/strict";
import { spawn as start } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as hookgate from "../index.js";

export const PROGRAM = process.env.HOOKGATE ?? "hookgate";
export const EVENTS = ["pre_tool_use", "post_tool_use", "session_end"];

const HOOKS = readFileSync(new URL("../../cases/gate.toml", import.meta.url), "utf8");

/** A folder with hooks; what was started or opened in it ends with the test. */
export class Folder {
  constructor(t) {
    this.path = mkdtempSync(join(tmpdir(), "hookgate-"));
    this.hooks = join(this.path, "hooks.toml");
    this.socket = join(this.path, "run", "s.sock");
    writeFileSync(this.hooks, HOOKS);
    this.ends = [];
    t.after(async () => {
      for (const end of this.ends.reverse()) await end();
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  async spawn(options = {}) {
    const gate = await hookgate.spawn(this.hooks, { events: EVENTS, program: PROGRAM, ...options });
    this.ends.push(() => gate.close());
    return gate;
  }

  async connect(options = {}) {
    const gate = await hookgate.connect(this.socket, { events: EVENTS, ...options });
    this.ends.push(() => gate.close());
    return gate;
  }

  /** Starts a server on the socket, and returns when it listens. */
  async listen() {
    const server = start(PROGRAM, ["serve", "--socket", this.socket, "--config", this.hooks], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const exited = new Promise((done) => server.once("close", done));
    server.ended = async () => {
      server.kill("SIGKILL");
      await exited;
    };
    this.ends.push(server.ended);
    await new Promise((done, fail) => {
      let said = "";
      server.stderr.on("data", (chunk) => {
        said += chunk;
        if (said.includes("listening")) done();
      });
      server.once("exit", () => fail(new Error(`the server does not listen: ${said}`)));
    });
    return server;
  }

  /** Writes a program that speaks for the server: `answer(request)` returns the lines to print, or nothing. */
  pretend(answer) {
    const program = join(this.path, "pretend");
    const script = `#!/usr/bin/env node
const answer = ${answer};
const hello = (id) => JSON.stringify({jsonrpc: "2.0", id, result: {protocol: 1, hookgate: "0", generation: 1, config_hash: "", unenforced: []}});
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const request = JSON.parse(line);
    const said = request.method === "hello" ? hello(request.id) : answer(request);
    if (said !== undefined) process.stdout.write(said + "\\n");
  }
});
process.stdin.on("end", () => process.exit(0));
`;
    writeFileSync(program, script);
    chmodSync(program, 0o755);
    return this.spawn({ program });
  }
}

export function bash(command) {
  return hookgate.toolStep("Bash", { command });
}

/** An action that must not run. */
export function never() {
  assert.fail("it ran");
}

/** The error of a step that must not go on. */
export async function refused(kind, promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof kind, `${error.name}: ${error.stack}`);
    assert.ok(error instanceof hookgate.NotCleared);
    return error;
  }
  return assert.fail("it was cleared");
}

/** Returns the id of the server that this process has started. */
export function childOfThisProcess() {
  const children = readdirSync("/proc").filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === process.pid && line.includes("serve");
    } catch {
      return false;
    }
  });
  assert.equal(children.length, 1);
  return Number(children[0]);
}

/** Has a server stand still, and returns when all of it does. */
export async function stopped(server) {
  server.kill("SIGSTOP");
  const state = (stat) => stat.slice(stat.lastIndexOf(")") + 2)[0];
  const threads = `/proc/${server.pid}/task`;
  while (readdirSync(threads).some((name) => state(readFileSync(`${threads}/${name}/stat`, "utf8")) !== "T")) {
    await new Promise((done) => setTimeout(done, 5));
  }
}
