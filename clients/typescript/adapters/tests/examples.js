// Promise: the example of docs/sdks.md does what it says.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { MockLanguageModelV3 } from "ai/test";

import { PROGRAM } from "../../test/support.js";

const PAGE = readFileSync(process.env.HOOKGATE_PAGE ?? new URL("../../../../docs/sdks.md", import.meta.url), "utf8");
const COMMANDS = ["ls", "git push --force", "cargo publish", "npm publish"];
const USAGE = { inputTokens: { total: 1, noCache: 1 }, outputTokens: { total: 1, text: 1 } };

test("the example for the AI SDK", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "hookgate-"));
  // Inside of the package, which can import itself by its name.
  const file = new URL(`../example-${process.pid}.mjs`, import.meta.url);
  t.after(() => [folder, file].forEach((path) => rmSync(path, { recursive: true, force: true })));
  mkdirSync(join(folder, "bin"));
  symlinkSync(realpathSync(PROGRAM), join(folder, "bin", "hookgate"));
  process.env.PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  process.chdir(folder);
  writeFileSync("hooks.toml", PAGE.match(/^```toml\n([^]*?)^```$/m)[1]);
  writeFileSync(file, PAGE.match(/^## AI SDK$[^]*?^```js\n([^]*?)^```$/m)[1]);

  const [ran, shown, prompts] = [[], [], []];
  const calls = COMMANDS.map((command) => ({
    type: "tool-call", toolCallId: command, toolName: "shell", input: JSON.stringify({ command }),
  }));
  const answers = [calls, [{ type: "text", text: "done" }]];
  Object.assign(globalThis, {
    run: (command) => (ran.push(command), `ran ${command}`),
    personAgrees: (step) => (shown.push(step.tool_input.command), step.tool_input.command.startsWith("cargo")),
    model: new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        prompts.push(prompt);
        const content = answers.shift();
        return { content, finishReason: { unified: content === calls ? "tool-calls" : "stop" }, usage: USAGE, warnings: [] };
      },
    }),
  });
  await import(pathToFileURL(realpathSync(file)));
  assert.deepEqual([ran.sort(), shown.sort()], [["cargo publish", "ls"], ["cargo publish", "npm publish"]]);
  assert.match(JSON.stringify(prompts.at(-1)), /force push is not allowed here.*not now|not now.*force push is not allowed/);
});
