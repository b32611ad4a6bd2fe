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
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Lets the step go on. */
export const allow = (more = {}) => ({ decision: "allow", ...more });

/** Lets the user decide. */
export const ask = (reason, more = {}) => ({ decision: "ask", reason, ...more });

/** Refuses the step; the model reads the reason. */
export const deny = (reason, more = {}) => ({ decision: "deny", reason, ...more });

/** Stops the whole run. */
export const halt = (reason, more = {}) => ({ decision: "halt", reason, ...more });

/** Sets fields of the payload. */
export const patch = (fields) => ({ patch: fields });

/** Adds texts for the model. */
export const context = (...texts) => ({ context: texts });

/** Where answers go; 1 until `run` is called. */
let answers = 1;

/** Answers with what the hook returns: once, or as a worker until stdin ends. */
export async function run(hook) {
  globalThis.console = new Console(process.stderr, process.stderr);
  keepStdout();
  if (process.env.HOOKGATE_WORKER === "1") {
    await serve(hook);
    return;
  }
  // An unfinished answer is a failure, and so is this status. So a process that ends too early, or
  // waits for a promise that never settles, does not look like one without an opinion.
  process.exitCode = 1;
  write("{");
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) text += chunk;
  try {
    write(JSON.stringify(verdict(await hook(JSON.parse(text)))).slice(1));
    process.exitCode = 0;
  } catch (error) {
    // The error comes last, because hookgate quotes the end of a long trace.
    console.error(error);
    console.error(String(error));
  }
}

/** Moves stdout away: what other code writes to descriptor 1 goes to stderr, and not into an answer. */
function keepStdout() {
  try {
    answers = openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_APPEND);
  } catch {
    return; // This system has no /proc.
  }
  closeSync(1);
  // A file gets the lowest free descriptor, which is 1.
  for (const path of ["/proc/self/fd/2", "/dev/null"]) {
    try {
      openSync(path, constants.O_WRONLY | constants.O_APPEND);
      return;
    } catch {}
  }
}

/** Checks that a hook returned a verdict. */
function verdict(returned) {
  if (returned === undefined || returned === null) return {};
  if (typeof returned !== "object" || Array.isArray(returned)) {
    throw new TypeError(`a hook returns a verdict or nothing, not ${typeof returned}`);
  }
  return returned;
}

async function serve(hook) {
  write('{"ready":1}\n');
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const call = JSON.parse(line);
    let answer;
    try {
      answer = JSON.stringify({ id: call.id, verdict: verdict(await hook(call.envelope)) });
    } catch (error) {
      console.error(error);
      answer = JSON.stringify({ id: call.id, error: String(error), ...at(error) });
    }
    write(`${answer}\n`);
  }
}

/** Names the innermost line of the hook's own files that led to an error. */
function at(error) {
  const folder = join(dirname(process.argv[1] ?? ""), "/");
  for (const [, place, line] of String(error?.stack).matchAll(/((?:file:\/)?\/.*?):(\d+):\d+\)?$/gm)) {
    const path = place.startsWith("file:") ? fileURLToPath(place) : place;
    if (path.startsWith(folder) && path !== fileURLToPath(import.meta.url)) {
      return { at: `${path.slice(folder.length)}:${line}` };
    }
  }
  return {};
}

/** Writes all of a text: a pipe takes a large one in pieces. */
function write(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(answers, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
