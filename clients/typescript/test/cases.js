// Has the steps of a file judged and prints what came of each, a line of JSON for each: `node test/cases.js PROGRAM CONFIG
// STEPS`. `cli/tests/serve/same_verdicts.rs` compares it with every other way to the engine.

import { readFileSync } from "node:fs";

import { Answered, Asked, Cancelled, Denied, Halted, Refused, spawn } from "../index.js";

const WORDS = new Map([[Asked, "ask"], [Halted, "halt"], [Answered, "answered"], [Cancelled, "cancelled"], [Denied, "deny"]]);

async function outcome(gate, step) {
  try {
    return await gate.step(step.session_id, step, ({ payload, report }) => ({
      verdict: report.by.length > 0 ? "allow" : "pass",
      step: payload,
      report,
    }));
  } catch (error) {
    if (error instanceof Refused && error.code === "only_observed") return gate.observe(step.session_id, step);
    if (!WORDS.has(error.constructor)) throw error;
    return { verdict: WORDS.get(error.constructor), step: null, report: error.report };
  }
}

const [program, config, file] = process.argv.slice(2);
if (program !== undefined) {
  const steps = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const enforces = ["deny", "ask", "halt", "patch", "answer", "context"];
  const gate = await spawn(config, { events: steps.map((step) => step.hook_event_name), enforces, program });
  for (const step of steps) process.stdout.write(`${JSON.stringify(await outcome(gate, step))}\n`);
  await gate.close();
}
