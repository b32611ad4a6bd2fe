// The types of the adapter fit those of the SDK: `tsc` reads this, nothing runs it.

import { generateText, streamText, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { spawn } from "../../index.js";
import { CLAIMS, Hookgate } from "../vercel-ai.js";

const gate = await spawn("hooks.toml", CLAIMS);
const hookgate = new Hookgate(gate, (options) => options.toolCallId, { ask: async (asked) => asked.reason === "" || "no" });
const shell = tool({ inputSchema: z.object({ command: z.string() }), execute: ({ command }) => command });
const model = new MockLanguageModelV3();
const given = hookgate.settings({ model, tools: { shell }, prompt: "go on" });
const { text } = await generateText(given);
streamText(hookgate.settings({ model, tools: { shell }, messages: [] }));
const response: { approved: false; reason: string } = await hookgate.reject("c0", text);
hookgate.asked(response.reason).step;
