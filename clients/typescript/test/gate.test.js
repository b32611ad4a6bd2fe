// Promise: nothing runs that was not cleared, and what was judged is what runs. Against the real program.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import * as hookgate from "../index.js";
import { EVENTS, Folder, bash, childOfThisProcess, never, refused, stopped } from "./support.js";

const { Answered, Asked, Cancelled, DeadlinePassed, Denied, Halted, Lost, PermitUsed, Refused } = hookgate;

test("what was judged is what runs, and its value comes back", async (t) => {
  const gate = await new Folder(t).spawn();
  assert.deepEqual(await gate.step("s", bash("ls"), (permit) => permit.input), { command: "ls" });
  let kept;
  await gate.step("s", bash("npm install"), async (permit) => {
    assert.deepEqual(permit.input, { command: "pnpm install" });
    assert.deepEqual(permit.report.patched, ["tool_input"]);
    kept = permit;
  });
  assert.throws(() => kept.payload, PermitUsed);
  assert.throws(() => kept.input, PermitUsed);
  await assert.rejects(gate.step("s", bash("ls"), () => Promise.reject(new Error("of the action"))), /of the action/);
  await assert.rejects(gate.step("s", bash("ls")), TypeError);
});

test("a step that is not cleared is thrown, and nothing runs", async (t) => {
  const gate = await new Folder(t).spawn();
  for (const [command, kind, by] of [
    ["git push --force", Denied, ["no-force-push"]],
    ["cargo publish", Asked, ["confirm"]],
    ["stop it", Halted, ["enough"]],
    ["date", Answered, ["cached"]],
  ]) {
    const error = await refused(kind, gate.step("s", bash(command), never));
    assert.equal(error.name, kind.name);
    assert.deepEqual(error.by, by);
    if (kind === Answered) assert.equal(error.answer.content, "today");
    if (kind === Denied) assert.equal(error.reason, "force push is not allowed here");
  }
});

test("a person approves, edits or rejects", async (t) => {
  const gate = await new Folder(t).spawn();
  const ask = () => refused(Asked, gate.step("s", bash("cargo publish"), never));
  const asked = await ask();
  assert.deepEqual(asked.step.tool_input, { command: "cargo publish" });
  assert.deepEqual(await asked.approve((permit) => permit.input), { command: "cargo publish" });
  assert.equal((await refused(Refused, asked.approve(never))).code, "question_refused");
  const edited = { tool_input: { command: "cargo publish --dry-run" } };
  assert.deepEqual(await (await ask()).approveWith(edited, (permit) => permit.payload.tool_input), edited.tool_input);
  const worse = { tool_input: { command: "publish; push --force" } };
  await refused(Denied, (await ask()).approveWith(worse, never));
  assert.equal((await refused(Denied, (await ask()).reject("not today"))).reason, "not today");
});

test("a killed server is a deny within the deadline, and so is every step after it", async (t) => {
  const gate = await new Folder(t).spawn({ deadlineMs: 20_000 });
  const began = performance.now();
  const waiting = refused(Lost, gate.step("s", bash("slow"), never));
  await sleep(200);
  process.kill(childOfThisProcess(), "SIGKILL");
  await waiting;
  assert.ok(performance.now() - began < 10_000);
  await refused(Lost, gate.step("s", bash("ls"), never));
  const [one, two] = await gate.judgeBatch([{ session: "s", step: bash("ls") }, { session: "s", step: bash("ls") }], never);
  assert.ok(!one.ran && one.error instanceof Lost && !two.ran && two.error instanceof Lost);
});

test("a server that hangs is a deny after the deadline", async (t) => {
  const folder = new Folder(t);
  const server = await folder.listen();
  const gate = await folder.connect();
  await gate.step("s", bash("ls"), () => {});
  gate.deadlineMs = 400;
  await stopped(server);
  const began = performance.now();
  // Large enough that not even the sending comes to an end.
  for (const text of ["ls", "x".repeat(3_000_000)]) await refused(DeadlinePassed, gate.step("s", bash(text), never));
  assert.ok(performance.now() - began < 10_000);
  server.kill("SIGCONT");
});

test("a hook that takes too long is a deny", async (t) => {
  const gate = await new Folder(t).spawn();
  await refused(Denied, gate.step("s", bash("slow"), never, { deadlineMs: 200 }));
});

test("a host that stops waiting has a deny", async (t) => {
  const gate = await new Folder(t).spawn();
  const stop = new AbortController();
  const waiting = refused(Cancelled, gate.step("s", bash("slow"), never, { signal: stop.signal }));
  const began = performance.now();
  stop.abort(new Error("the user has left"));
  assert.match((await waiting).cause.message, /has left/);
  // Before the hook has answered.
  assert.ok(performance.now() - began < 5000);
  await refused(Cancelled, gate.step("s", bash("ls"), never, { signal: stop.signal }));
  await gate.step("s", bash("ls"), () => {});
});

test("a server that was started again is found, with the hooks of the session", async (t) => {
  const folder = new Folder(t);
  const server = await folder.listen();
  const gate = await folder.connect();
  const mine = { id: "mine", event: "pre_tool_use", tool: "Bash", builtin: { name: "deny", reason: "no shell here" } };
  assert.deepEqual(await gate.override("s", { hooks: [mine] }), ["mine"]);
  await refused(Denied, gate.step("s", bash("ls"), never));
  await server.ended();
  await refused(Lost, gate.step("s", bash("ls"), never));
  await folder.listen();
  assert.deepEqual((await refused(Denied, gate.step("s", bash("ls"), never))).by, ["scope/mine"]);
  await gate.step("s", hookgate.toolStep("Read", { path: "a" }), () => {});
  assert.deepEqual(await gate.override("s", { disable: ["mine"] }), []);
  await gate.step("s", bash("ls"), () => {});
});

test("an override that would loosen is refused, and told", async (t) => {
  const gate = await new Folder(t).spawn();
  const told = await gate.events();
  const program = { id: "p", event: "pre_tool_use", command: { argv: ["true"] } };
  const allows = { id: "a", event: "pre_tool_use", may_allow: true, builtin: { name: "deny", reason: "no" } };
  for (const change of [{ hooks: [program] }, { hooks: [allows] }, { disable: ["no-force-push"] }]) {
    assert.equal((await refused(Refused, gate.override("s", change))).code, "override_refused");
    const { value } = await told.next();
    assert.equal(value.told.refused.session, "s");
  }
  await refused(Denied, gate.step("s", bash("git push --force"), never));
});

test("steps that are sent without waiting keep their order", async (t) => {
  const gate = await new Folder(t).spawn();
  const count = () => gate.step("s", hookgate.toolStep("Count", {}), () => "ran").catch((error) => error.name);
  const verdicts = await Promise.all([count(), count(), count(), count(), count()]);
  assert.deepEqual(verdicts, ["ran", "ran", "Denied", "Denied", "Denied"]);
  const { failed } = await gate.observe("s", { hook_event_name: "session_end", reason: "done" });
  assert.deepEqual(failed, []);
  const mine = { id: "mine", event: "pre_tool_use", builtin: { name: "deny", reason: "nothing here" } };
  await gate.override("s", { hooks: [mine] });
  await refused(Denied, gate.step("s", bash("ls"), never));
  await gate.endSession("s");
  await gate.step("s", bash("ls"), () => {});
});

test("in a batch the order is kept, and a bad step fails alone", async (t) => {
  const gate = await new Folder(t).spawn();
  const steps = [bash("ls"), { hook_event_name: "pre_tol_use" }, bash("git push --force"), bash(Number.NaN), bash("npm install")];
  const order = [];
  const results = await gate.judgeBatch(
    steps.map((step) => ({ session: "s", step })),
    (permit, item) => {
      order.push(item.step.tool_input.command);
      return permit.input.command;
    },
  );
  assert.deepEqual(order, ["ls", "npm install"]);
  assert.deepEqual(results.map(({ ran }) => ran), [true, false, false, false, true]);
  assert.deepEqual([results[0].value, results[4].value], ["ls", "pnpm install"]);
  for (const at of [1, 3]) assert.ok(results[at].error instanceof Refused);
  assert.deepEqual(results[2].error.by, ["no-force-push"]);
  assert.deepEqual(await gate.judgeBatch([], never), []);
  const [asked] = await gate.judgeBatch([{ session: "s", step: bash("cargo publish") }], never);
  assert.equal(await asked.error.approve((permit) => permit.input.command), "cargo publish");
});

test("decisions are told, one by one, until the gate is closed", async (t) => {
  const gate = await new Folder(t).spawn();
  const events = await gate.events();
  await gate.step("s", bash("ls"), () => {});
  await refused(Denied, gate.step("s", bash("git push --force"), never));
  const seen = [];
  for await (const { lost, told } of events) {
    assert.equal(lost, 0);
    seen.push(told.decision.decision);
    if (seen.length === 2) await gate.close();
  }
  assert.deepEqual(seen, ["allow", "deny"]);
  await refused(Lost, gate.step("s", bash("ls"), never));
});

test("what is no step is a deny, and the next one is judged", async (t) => {
  const gate = await new Folder(t).spawn();
  const circle = {};
  circle.self = circle;
  const inputs = [
    Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 10n, "\ud800", { "\udc00": 1 }, new Map(), circle, [undefined], () => {},
  ];
  const steps = inputs.map((n) => hookgate.toolStep("Bash", { n }));
  for (const step of [{}, null, 7, { hook_event_name: "pre_tol_use" }, { hook_event_name: "stop" }, ...steps]) {
    await refused(Refused, gate.step("s", step, never));
  }
  await refused(Refused, gate.step("", bash("ls"), never));
  await gate.step("s", bash("ls"), () => {});
});

test("a host that does not enforce a guard gets no gate", async (t) => {
  const folder = new Folder(t);
  const error = await refused(Refused, folder.spawn({ events: ["post_tool_use"] }));
  assert.equal(error.code, "unenforced");
  assert.ok(error.more.unenforced.some(({ hook }) => hook === "no-force-push"));
  await assert.rejects(folder.spawn({ lost: "allow" }), TypeError);
  await assert.rejects(folder.spawn({ deadlineMs: 0 }), TypeError);
  await refused(Lost, folder.spawn({ program: "/nowhere/hookgate" }));
  await refused(Lost, folder.connect());
});

test("a gate says what is in force", async (t) => {
  const gate = await new Folder(t).spawn();
  assert.equal((await gate.status()).generation, gate.greeting.generation);
  assert.deepEqual(gate.claims, { events: [...EVENTS].sort(), enforces: ["answer", "ask", "deny", "halt", "patch"] });
  assert.ok((await gate.health()) !== null);
  assert.match(await gate.metrics(), /# EOF/);
  assert.equal((await refused(Refused, gate.replace("version = 1"))).code, "not_permitted");
});
