/**
 * Hooks for hookgate in Node. One file, no dependencies; put it beside your hook.
 *
 *     import { deny, run } from "./hookgate.mjs";
 *
 *     run((step) => {
 *       if (step.tool_input?.command?.includes("--force")) return deny("no force push");
 *     });
 *
 * The function gets the envelope and returns a verdict, a promise of one, or nothing for no
 * opinion. The same script serves `mode = "plain"` and `mode = "worker"`. What it prints goes to
 * stderr, and so does what the programs print that it starts with `stdio: "inherit"`.
 */

import { Console } from "node:console";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

/** The step may go on. */
export const allow = (more = {}) => ({ decision: "allow", ...more });

/** The user decides. */
export const ask = (reason, more = {}) => ({ decision: "ask", reason, ...more });

/** The step does not happen. */
export const deny = (reason, more = {}) => ({ decision: "deny", reason, ...more });

/** The whole run stops. */
export const halt = (reason, more = {}) => ({ decision: "halt", reason, ...more });

/** Sets fields of the payload. */
export const patch = (fields) => ({ patch: fields });

/** Tells the model something. */
export const context = (...texts) => ({ context: texts });

/** Where answers go; 1 until `run` is called. */
let answers = 1;

/** Answers with what the hook says: once, or as a worker until stdin ends. */
export async function run(hook) {
  globalThis.console = new Console(process.stderr, process.stderr);
  keepStdout();
  if (process.env.HOOKGATE_WORKER === "1") {
    await serve(hook);
    return;
  }
  // An answer that was begun and not finished is a failure, and so is this status: whoever ends the
  // process before, or waits for what never comes, does not make it look like no opinion.
  process.exitCode = 1;
  say("{");
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) text += chunk;
  try {
    say(JSON.stringify(verdict(await hook(JSON.parse(text)))).slice(1));
    process.exitCode = 0;
  } catch (error) {
    // What went wrong comes last: of a long trace, the end is quoted.
    console.error(error);
    console.error(String(error));
  }
}

/** Moves stdout away: what anybody else writes to 1 is no part of an answer, and goes to stderr. */
function keepStdout() {
  try {
    answers = openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return; // Not on this system.
  }
  closeSync(1);
  // The lowest number that is free is taken: 1.
  for (const path of ["/proc/self/fd/2", "/dev/null"]) {
    try {
      openSync(path, constants.O_WRONLY | constants.O_APPEND);
      return;
    } catch {}
  }
}

/** What a hook returned, if it is a verdict. */
function verdict(returned) {
  if (returned === undefined || returned === null) return {};
  if (typeof returned !== "object" || Array.isArray(returned)) {
    throw new TypeError(`a hook returns a verdict or nothing, not ${typeof returned}`);
  }
  return returned;
}

async function serve(hook) {
  say('{"ready":1}\n');
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const call = JSON.parse(line);
    let answer;
    try {
      answer = JSON.stringify({ id: call.id, verdict: verdict(await hook(call.envelope)) });
    } catch (error) {
      console.error(error);
      answer = JSON.stringify({ id: call.id, error: String(error) });
    }
    say(`${answer}\n`);
  }
}

/** Writes everything: a pipe takes a large answer in pieces. */
function say(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(answers, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
