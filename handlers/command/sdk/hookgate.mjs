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
 * opinion. The same script serves `mode = "plain"` and `mode = "worker"`. What it prints with
 * `console` goes to stderr.
 */

import { Console } from "node:console";
import { writeSync } from "node:fs";
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

/** Answers with what the hook says: once, or as a worker until stdin ends. */
export async function run(hook) {
  globalThis.console = new Console(process.stderr, process.stderr);
  if (process.env.HOOKGATE_WORKER === "1") {
    await serve(hook);
    return;
  }
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) text += chunk;
  try {
    say(JSON.stringify((await hook(JSON.parse(text))) ?? {}));
  } catch (error) {
    // What went wrong comes last: of a long trace, the end is quoted.
    console.error(error);
    console.error(String(error));
    process.exitCode = 1;
  }
}

async function serve(hook) {
  say('{"ready":1}\n');
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const call = JSON.parse(line);
    let answer;
    try {
      answer = JSON.stringify({ id: call.id, verdict: (await hook(call.envelope)) ?? {} });
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
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
