// Promise: whatever a server answers that is no whole verdict for this request, nothing runs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Denied, Lost, NotCleared, Refused } from "../index.js";
import { decode } from "../lib/json.js";
import { Folder, bash, never, refused } from "./support.js";

const CLEARED = `{verdict: "pass", step: {tool_input: {}}, report: {by: [], decision: "allow"}}`;
const answer = (id, result) => `({id}) => JSON.stringify({jsonrpc: "2.0", id: ${id}, result: ${result}})`;

test("what clears here is cleared: the program that pretends is believed", async (t) => {
  const gate = await new Folder(t).pretend(answer("id", CLEARED));
  assert.equal(await gate.step("s", bash("ls"), () => "ran"), "ran");
});

test("a line that is none, or an answer to another request, is a deny", async (t) => {
  const lines = [
    `() => "{"`, `() => ""`, `() => "[]"`, `() => "7"`, `() => "null"`, `() => '{"id":2}'`,
    `({id}) => '{"jsonrpc":"2.0","id":' + id + ',"id":' + id + ',"result":${JSON.stringify({ verdict: "pass", step: {}, report: {} })}}'`,
    answer("id + 1", CLEARED), answer("id - 1", CLEARED), answer("String(id)", CLEARED), answer("[id]", CLEARED),
    answer("undefined", CLEARED), answer("null", CLEARED), `() => process.exit(0)`,
  ];
  for (const line of lines) {
    const gate = await new Folder(t).pretend(line);
    const began = performance.now();
    await refused(Denied, gate.step("s", bash("ls"), never));
    assert.ok(performance.now() - began < 20_000, line);
  }
});

test("bytes that are no text are a deny", async (t) => {
  const gate = await new Folder(t).pretend(`() => { process.stdout.write(Buffer.from([0x22, 0xff, 0x22, 0x0a])); }`);
  await refused(Lost, gate.step("s", bash("ls"), never));
});

test("silence is a deny, and a late answer clears nothing", async (t) => {
  const gate = await new Folder(t).pretend(`({id, params}) => params.step.tool_input.command === "late"
    ? void setTimeout(() => process.stdout.write(JSON.stringify({jsonrpc: "2.0", id, result: ${CLEARED}}) + "\\n"), 900)
    : JSON.stringify({jsonrpc: "2.0", id, result: ${CLEARED}})`);
  await refused(Denied, gate.step("s", bash("late"), never, { deadlineMs: 50 }));
  await new Promise((done) => setTimeout(done, 1000));
  assert.equal(await gate.step("s", bash("ls"), () => "ran"), "ran");
});

test("an error without an id is a deny for all that wait, and for nothing later", async (t) => {
  const gate = await new Folder(t).pretend(`({id, params}) => params.step.tool_input.command === "ls"
    ? JSON.stringify({jsonrpc: "2.0", id, result: ${CLEARED}})
    : JSON.stringify({jsonrpc: "2.0", id: null, error: {code: -32700, message: "no", data: {name: "parse_error", more: {}}}})`);
  assert.equal((await refused(Refused, gate.step("s", bash("x"), never))).code, "parse_error");
  assert.equal(await gate.step("s", bash("ls"), () => "ran"), "ran");
});

test("only a whole verdict clears", async (t) => {
  const report = `report: {by: [], reason: null, decision: "allow"}`;
  const results = [
    `undefined`, `null`, `7`, `[]`, `{}`, `{verdict: null, step: {}, ${report}}`, `{verdict: "pass", ${report}}`,
    `{verdict: "pass", step: {}, report: {decision: "deny"}}`, `{verdict: "pass", step: null, ${report}}`, `{verdict: "pass", step: [], ${report}}`, `{verdict: "allow", step: {}}`,
    `{verdict: "allowed", step: {}, ${report}}`, `{verdict: ["pass"], step: {}, ${report}}`,
    ...["ask", "deny", "halt", "answered", "cancelled"].map((word) => `{verdict: "${word}", step: {}, ${report}}`),
  ];
  for (const result of results) {
    const gate = await new Folder(t).pretend(answer("id", result));
    await refused(NotCleared, gate.step("s", bash("ls"), never));
    await gate.close();
  }
  const both = `({id}) => JSON.stringify({jsonrpc: "2.0", id, result: ${CLEARED}, error: {code: 1, message: "no"}})`;
  await refused(Refused, (await new Folder(t).pretend(both)).step("s", bash("ls"), never));
});

test("a batch whose answers are not those of its steps clears nothing", async (t) => {
  const items = [
    `[]`, `null`, `[{id: "0", result: ${CLEARED}}]`, `[{id: "1", result: ${CLEARED}}, {id: "0", result: ${CLEARED}}]`,
    `[{id: "0"}, {id: "1", result: null}]`, `[null, null]`,
  ];
  for (const given of items) {
    const gate = await new Folder(t).pretend(answer("id", `{items: ${given}}`));
    const results = await gate.judgeBatch([{ session: "s", step: bash("a") }, { session: "s", step: bash("b") }], never);
    assert.deepEqual(results.map(({ ran, error }) => [ran, error instanceof Denied]), [[false, true], [false, true]], given);
    await gate.close();
  }
});

test("a rejected step that the server clears is a deny", async (t) => {
  const gate = await new Folder(t).pretend(`({id, method}) => JSON.stringify({jsonrpc: "2.0", id, result: method === "judge"
    ? {verdict: "ask", question: {request: {step: {}}}, report: {by: []}} : ${CLEARED}})`);
  const asked = await gate.step("s", bash("ls"), never).catch((error) => error);
  await refused(Denied, asked.reject("no"));
});

test("an integer that would become another one clears nothing", async (t) => {
  const gate = await new Folder(t).pretend(
    `({id}) => '{"jsonrpc":"2.0","id":' + id + ',"result":{"verdict":"pass","step":{"n":9007199254740993},"report":{}}}'`,
  );
  await refused(Refused, gate.step("s", bash("ls"), never));
});

test("JSON is read strictly", () => {
  for (const wrong of ['{"a":1,"a":2}', '[{"a":{"b":1,"\\u0062":2}}]', "", "{", "nul"]) {
    assert.throws(() => decode(wrong), SyntaxError, wrong);
  }
  for (const exact of ['{"a":[{"a":1},"a",{"b":"{\\"a\\":1,\\\\"}],"c":{"a":-9007199254740991}}', '{"":1,"b":1.5e300,"c":[]}']) {
    assert.deepEqual(decode(exact), { value: JSON.parse(exact), isExact: true });
  }
  assert.equal(decode('{"a":[-9007199254740993]}').isExact, false);
});
