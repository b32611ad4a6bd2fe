// Promise: in the AI SDK, a tool runs if it was cleared, and as it was judged. In the real package, with a scripted model.
// It is no part of `npm test`, since it needs the package `ai`: `.ci/sdk_adapters` installs that.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { generateText, stepCountIs, streamText, tool } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { z } from "zod";

import * as adapter from "../vercel-ai.js";
import { Denied, Halted, Refused } from "../../index.js";
import { Folder, childOfThisProcess, refused } from "../../test/support.js";

const { CLAIMS, Hookgate } = adapter;
const HOOKS = ["gate.toml", "sdks.toml"].map((name) => readFileSync(new URL(`../../../cases/${name}`, import.meta.url), "utf8"));
const USAGE = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };

class Run {
  constructor(t, isStream) {
    this.folder = new Folder(t);
    writeFileSync(this.folder.hooks, HOOKS.join("\n"));
    this.isStream = isStream;
    this.ran = [];
    this.prompts = [];
    this.tool = {};
    this.call = {};
    this.number = 0;
  }

  async start(options, claims = CLAIMS) {
    this.gate = await this.folder.spawn(claims);
    this.hookgate = new Hookgate(this.gate, "s", options);
    return this;
  }

  model(turns) {
    const answers = [...turns, null].map((commands) => {
      if (commands === null) return { content: [{ type: "text", text: "done" }], finishReason: { unified: "stop" } };
      const calls = commands.map((command) => ({
        type: "tool-call",
        toolCallId: `c${this.number++}`,
        toolName: "Bash",
        input: JSON.stringify({ command }),
      }));
      return { content: calls, finishReason: { unified: "tool-calls" } };
    });
    let at = 0;
    const next = ({ prompt }) => {
      this.prompts.push(prompt);
      return answers[at++];
    };
    const stream = ({ content, finishReason }) => [
      { type: "stream-start", warnings: [] },
      ...content.flatMap((part) => (part.type === "text"
        ? [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: part.text }, { type: "text-end", id: "1" }]
        : [part])),
      { type: "finish", finishReason, usage: USAGE },
    ];
    return new MockLanguageModelV3({
      doGenerate: async (given) => ({ ...next(given), usage: USAGE, warnings: [] }),
      doStream: async (given) => ({ stream: simulateReadableStream({ chunks: stream(next(given)) }) }),
    });
  }

  /** Runs an agent whose model calls the tool with the commands of each turn, the first being `c0`. */
  turns(...turns) {
    this.scripted = this.model(turns);
    return this.goOn([{ role: "user", content: "go on" }]);
  }

  async goOn(messages) {
    const Bash = tool({
      inputSchema: z.object({ command: z.string() }),
      execute: ({ command }) => {
        this.ran.push(command);
        if (command === "die") process.kill(childOfThisProcess(), "SIGKILL");
        return `ran ${command}`;
      },
      ...this.tool,
    });
    const settings = this.hookgate.settings({
      model: this.scripted, tools: { Bash }, messages, stopWhen: stepCountIs(20), maxRetries: 0, ...this.call,
    });
    let result, steps;
    if (this.isStream) {
      let failed = null;
      result = streamText({ ...settings, onError: () => {}, onAbort: () => { failed = settings.abortSignal.reason; } });
      await result.consumeStream();
      if (failed !== null) throw failed;
      steps = await result.steps;
      this.messages = [...messages, ...(await result.response).messages];
    } else {
      result = await generateText(settings);
      steps = result.steps;
      this.messages = [...messages, ...result.response.messages];
    }
    this.waits = steps.flatMap(({ content }) => content).filter(({ type }) => type === "tool-approval-request");
    // What the model reads is what counts.
    this.told = {};
    for (const { content } of this.messages.filter(({ role }) => role === "tool")) {
      for (const part of content.filter(({ type }) => type === "tool-result")) this.told[part.toolCallId] = JSON.stringify(part.output);
    }
    return this;
  }

  async resume(answers) {
    const content = [];
    for (const { approvalId, toolCall } of this.waits) {
      const answer = answers[toolCall.toolCallId];
      const response = answer === true ? { approved: true } : await this.hookgate.reject(toolCall.toolCallId, answer);
      content.push({ type: "tool-approval-response", approvalId, ...response });
    }
    return this.goOn([...this.messages, { role: "tool", content }]);
  }
}

for (const isStream of [false, true]) {
  const name = isStream ? "streamText" : "generateText";
  const run = async (t, ...options) => new Run(t, isStream).start(...options);
  const told = (of, id, words) => assert.match(of.told[id], words);

  test(`${name}: what is cleared runs, what is denied does not`, async (t) => {
    const of = await (await run(t)).turns(["ls"], ["git push --force"]);
    assert.deepEqual(of.ran, ["ls"]);
    told(of, "c0", /ran ls/);
    told(of, "c1", /force push is not allowed here/);
    assert.equal(of.prompts.length, 3);
  });

  test(`${name}: the rewritten arguments run, or a hook supplies the result`, async (t) => {
    const of = await (await run(t)).turns(["npm install"], ["date"]);
    assert.deepEqual(of.ran, ["pnpm install"]);
    told(of, "c0", /ran pnpm install/);
    told(of, "c1", /today/);
  });

  test(`${name}: rewritten arguments that do not fit the tool are a deny`, async (t) => {
    const of = await run(t);
    of.tool = { inputSchema: z.object({ command: z.enum(["npm install", "ls"]) }) };
    await of.turns(["npm install"]);
    assert.deepEqual(of.ran, []);
    told(of, "c0", /do not fit/);
  });

  test(`${name}: an output is withheld or rewritten, also one that comes in parts`, async (t) => {
    const of = await run(t);
    await of.turns(["cat secret"], ["cat token"]);
    told(of, "c0", /a secret stands in it/);
    told(of, "c1", /masked/);
    async function* parts({ command }) {
      yield `ran ${command}`;
      yield `ran ${command}, whole`;
    }
    of.tool = { execute: parts };
    of.number = 0;
    await of.turns(["cat secret"], ["ls"]);
    assert.deepEqual(Object.keys(of.told), ["c0", "c1"]);
    told(of, "c1", /ran ls, whole/);
    assert.doesNotMatch(JSON.stringify(of.prompts), /ran cat/);
  });

  test(`${name}: a call is judged once`, async (t) => {
    const of = await (await run(t)).turns(["counted"], ["counted"], ["counted"]);
    assert.deepEqual(of.ran, ["counted", "counted"]);
  });

  test(`${name}: the calls of one turn are judged each`, async (t) => {
    const of = await (await run(t)).turns(["ls", "git push --force", "npm install", "pwd"]);
    assert.deepEqual(of.ran.sort(), ["ls", "pnpm install", "pwd"]);
    told(of, "c1", /force push/);
    told(of, "c2", /ran pnpm install/);
  });

  test(`${name}: a halt ends the run`, async (t) => {
    for (const [command, why, ran] of [["stop it", /enough/, []], ["leak", /it has leaked/, ["leak"]]]) {
      const of = await run(t);
      await assert.rejects(of.turns([command], ["ls"]), (error) => error instanceof Halted && why.test(error.reason));
      assert.deepEqual(of.ran, ran);
      assert.equal(of.prompts.length, 1);
    }
  });

  test(`${name}: a lost server is a deny in the middle of a run`, async (t) => {
    const of = await (await run(t)).turns(["die"], ["ls"]);
    assert.deepEqual(of.ran, ["die"]);
    assert.doesNotMatch(of.told.c0, /ran die/);
    told(of, "c1", /the step does not happen/);
  });

  test(`${name}: a step that was approved runs`, async (t) => {
    const of = await (await run(t)).turns(["cargo publish", "ls"]);
    assert.deepEqual([of.ran, of.waits.map(({ toolCall }) => toolCall.toolCallId)], [["ls"], ["c0"]]);
    await of.resume({ c0: true });
    assert.deepEqual(of.ran, ["ls", "cargo publish"]);
    told(of, "c0", /ran cargo publish/);
  });

  test(`${name}: each question of a turn has its own answer, and the server knows the refusals`, async (t) => {
    const of = await (await run(t)).turns(["cargo publish", "npm publish", "ls"]);
    assert.equal(of.waits.length, 2);
    const asked = of.hookgate.asked("c0");
    await of.resume({ c0: "not today", c1: true });
    assert.deepEqual(of.ran.sort(), ["ls", "npm publish"]);
    assert.match(JSON.stringify(of.prompts.at(-1)), /not today/);
    assert.equal((await refused(Refused, asked.approve(() => assert.fail("it ran")))).code, "question_refused");
  });

  test(`${name}: an approval is of what would run`, async (t) => {
    const unseen = await (await run(t)).turns(["release"]);
    await unseen.resume({ c0: true });
    assert.deepEqual(unseen.ran, []);
    told(unseen, "c0", /rewritten/);
    const seen = await (await run(t)).turns(["release"]);
    assert.deepEqual(seen.hookgate.asked("c0").step.tool_input, { command: "publish --dry-run" });
    await seen.resume({ c0: true });
    assert.deepEqual(seen.ran, ["publish --dry-run"]);
  });

  test(`${name}: an approval of other arguments, by another process, or with a lost server is none`, async (t) => {
    const other = await (await run(t)).turns(["cargo publish"]);
    for (const part of other.messages.at(-1).content) if (part.type === "tool-call") part.input = { command: "npm publish" };
    await other.resume({ c0: true });
    told(other, "c0", /no person was asked/);
    const forgot = await (await run(t)).turns(["cargo publish"]);
    forgot.hookgate = new Hookgate(forgot.gate, "s");
    await forgot.resume({ c0: true });
    told(forgot, "c0", /no person was asked/);
    const lost = await (await run(t)).turns(["cargo publish"]);
    await lost.gate.close();
    await lost.resume({ c0: true });
    told(lost, "c0", /the step does not happen/);
    assert.deepEqual([...other.ran, ...forgot.ran, ...lost.ran], []);
  });

  test(`${name}: a person is asked in place`, async (t) => {
    const ask = async ({ step }) => (step.tool_input.command.includes("no") ? "not today" : true);
    const of = await (await run(t, { ask })).turns(["release"], ["publish no"]);
    assert.deepEqual(of.ran, ["publish --dry-run"]);
    told(of, "c1", /not today/);
  });

  test(`${name}: what the tool itself asks about is still asked about`, async (t) => {
    const of = await run(t);
    of.tool = { needsApproval: ({ command }) => command === "ls" };
    await of.turns(["ls", "pwd"]);
    assert.deepEqual([of.ran, of.waits.length], [["pwd"], 1]);
    await of.resume({ c0: true });
    assert.deepEqual(of.ran, ["pwd", "ls"]);
    // It is judged when it was approved.
    of.number = 0;
    await of.turns(["ls"]);
    const deny = { id: "mine", event: "pre_tool_use", tool: "Bash", builtin: { name: "deny", reason: "no more" } };
    await of.gate.override("s", { hooks: [deny] });
    await of.resume({ c0: true });
    assert.deepEqual(of.ran, ["pwd", "ls"]);
    told(of, "c0", /no more/);
  });

  test(`${name}: a run that is aborted runs nothing more`, async (t) => {
    const of = await run(t);
    const controller = new AbortController();
    of.call = { abortSignal: controller.signal };
    of.tool = { execute: ({ command }) => { of.ran.push(command); controller.abort(new Error("stopped")); return "ran"; } };
    await assert.rejects(of.turns(["ls"], ["pwd"]), /stopped/);
    assert.deepEqual(of.ran, ["ls"]);
  });
}

test("what cannot be judged or kept is refused", async (t) => {
  const of = await new Run(t, false).start();
  assert.throws(() => of.hookgate.settings({ tools: { Far: tool({ inputSchema: z.object({}) }) } }), /`Far` runs elsewhere/);
  const more = await of.folder.spawn({ ...CLAIMS, events: [...CLAIMS.events, "stop"] });
  assert.throws(() => new Hookgate(more, "s"), /stop/);
  new Hookgate(more, "s", { also: ["stop"] });
  assert.throws(() => of.hookgate.asked("c7"), /no question/);
  assert.ok(Denied);
});

test("the types name what is there", () => {
  const types = readFileSync(new URL("../vercel-ai.d.ts", import.meta.url), "utf8");
  const named = [...types.matchAll(/^export (?:class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(adapter).sort());
  const methods = [...types.matchAll(/^ {2}(\w+)[<(]/gm)].map(([, name]) => name);
  assert.deepEqual(methods.sort(), Object.getOwnPropertyNames(Hookgate.prototype).sort());
});
