#!/usr/bin/env node
// The command `hookgate`: starts the program and passes on what comes and what it ends with. Node itself takes most of the
// time of a short call, so `hookgate install` has agents start the program without this.

import { spawn } from "node:child_process";

import { PACKAGE, installed } from "../lib/program.js";

/** Agents take this code for a deny; after another one they may go on. */
const DENY = 2;

function fail(why) {
  process.stderr.write(`hookgate: ${why}\n`);
  process.exit(DENY);
}

const program = installed();
if (program === null) {
  fail(
    `the package ${PACKAGE} is not installed: it has the program for this machine. Install hookgate with its optional ` +
      `dependencies; if there is no such package, build the program (cargo install hookgate-cli)`,
  );
}
// Before the program starts: a signal that comes while it does must not leave it behind.
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.once("error", (cause) => fail(`\`${program}\` cannot be started (${cause.message})`));
child.once("close", (code, signal) => {
  if (signal === null) process.exit(code);
  // Who waits for this process sees the same end.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
