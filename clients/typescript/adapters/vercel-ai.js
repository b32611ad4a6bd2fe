// hookgate in the AI SDK (the package `ai`): the tools of a run are judged, and a question becomes an approval request.

import { isDeepStrictEqual } from "node:util";
import { asSchema } from "ai";

import { Answered, Asked, Denied, Halted, NotCleared } from "../index.js";
import { toolStep } from "../lib/wire.js";
import { checkClaims, last, opened, plain } from "./steps.js";

export const CLAIMS = { events: ["pre_tool_use", "post_tool_use"], enforces: ["deny", "ask", "halt", "patch", "answer"] };

/** How many questions may wait for a person. The oldest goes first, and its step is judged anew. */
const WAITING = 10_000;

export class Hookgate {
  #gate;
  #session;
  #ask;
  #waiting = new Map();
  #judged = new Map();

  constructor(gate, session, { ask = null, also = [] } = {}) {
    checkClaims(gate, CLAIMS, ask, also);
    [this.#gate, this.#session, this.#ask] = [gate, session, ask];
  }

  /** The settings of `generateText` or `streamText`, with tools that are judged. A halt aborts the run. */
  settings({ tools, abortSignal, ...settings }) {
    const controller = new AbortController();
    const stop = () => controller.abort(abortSignal.reason);
    if (abortSignal?.aborted) stop();
    abortSignal?.addEventListener("abort", stop, { once: true });
    const judged = Object.entries(tools ?? {}).map(([name, tool]) => [name, this.#tool(name, tool, controller)]);
    return { ...settings, tools: Object.fromEntries(judged), abortSignal: controller.signal };
  }

  /** The question of a call. A rewritten step can be approved only after this has shown it. */
  asked(toolCallId, options) {
    const question = this.#waiting.get(this.#key(toolCallId, options));
    if (question === undefined) throw new TypeError(`no question of \`${toolCallId}\` waits`);
    question.isShown = true;
    return question.asked;
  }

  /** Answers the question with a no. Resolves to the rest of the `tool-approval-response`. */
  async reject(toolCallId, reason, options) {
    const question = this.#take(this.#waiting, this.#key(toolCallId, options));
    await question?.asked.reject(reason).catch((error) => {
      if (!(error instanceof Denied)) throw error;
    });
    return { approved: false, reason };
  }

  #sessionOf(options) {
    return typeof this.#session === "function" ? this.#session(options) : this.#session;
  }

  #key(toolCallId, options) {
    return JSON.stringify([this.#sessionOf(options), toolCallId]);
  }

  #take(of, key) {
    const value = of.get(key);
    of.delete(key);
    return value;
  }

  #tool(name, tool, controller) {
    if (typeof tool.execute !== "function") throw new TypeError(`the tool \`${name}\` runs elsewhere, so it cannot be judged here`);
    const needsApproval = async (input, options) => {
      const [key, proposed] = [this.#key(options.toolCallId, options), [name, plain(input)]];
      if (isDeepStrictEqual(this.#waiting.get(key)?.proposed, proposed)) return true;
      // The SDK asks once more when an answer has come. Of a question that this process has not asked, it is none.
      if (isAnswered(options)) return true;
      try {
        this.#judged.set(key, { proposed, opened: await opened(this.#step(options, proposed), this.#ask) });
      } catch (error) {
        if (error instanceof Asked) {
          const isShown = isDeepStrictEqual(error.step.tool_input, proposed[1]);
          this.#waiting.set(key, { proposed, asked: error, isShown });
          if (this.#waiting.size > WAITING) this.#waiting.delete(this.#waiting.keys().next().value);
          return true;
        }
        this.#judged.set(key, { proposed, error });
      }
      const needed = typeof tool.needsApproval === "function" ? await tool.needsApproval(input, options) : Boolean(tool.needsApproval);
      // What waits for a person is judged when it has been approved.
      if (needed) this.#take(this.#judged, key).opened?.end();
      return needed;
    };
    const execute = async (input, options) => {
      try {
        const { permit, end } = await this.#cleared(name, input, options);
        try {
          return await this.#run(permit, tool, input, options);
        } finally {
          end();
        }
      } catch (error) {
        if (error instanceof Answered) return error.answer?.content ?? error.answer;
        if (error instanceof Halted) controller.abort(error);
        if (error instanceof Asked) throw new Error(`denied: no person was asked about this call (${error.reason})`);
        throw error;
      }
    };
    return { ...tool, needsApproval, execute };
  }

  async #cleared(name, input, options) {
    if (options.abortSignal?.aborted) throw options.abortSignal.reason;
    const [key, proposed] = [this.#key(options.toolCallId, options), [name, plain(input)]];
    const [question, judged] = [this.#take(this.#waiting, key), this.#take(this.#judged, key)];
    if (isDeepStrictEqual(question?.proposed, proposed)) {
      const why = "a hook has rewritten the step, and the person was shown what it was before: show `asked(id).step`";
      return opened((action) => (question.isShown ? question.asked.approve(action) : question.asked.reject(why)), this.#ask);
    }
    if (!isDeepStrictEqual(judged?.proposed, proposed)) return opened(this.#step(options, proposed), this.#ask);
    if (judged.error !== undefined) throw judged.error;
    return judged.opened;
  }

  #step(options, [name, input]) {
    const step = toolStep(name, input, { tool_use_id: options.toolCallId });
    return (action) => this.#gate.step(this.#sessionOf(options), step, action);
  }

  async #run(permit, tool, input, options) {
    let given = input;
    if (!isDeepStrictEqual(permit.input, plain(input))) {
      const checked = await (await asSchema(tool.inputSchema)).validate?.(permit.input);
      if (checked?.success === false) throw new Error(`denied: the rewritten arguments do not fit: ${checked.error.message}`);
      given = checked === undefined ? permit.input : checked.value;
    }
    const output = await last(await tool.execute(given, options));
    const { tool_name, tool_input } = permit.payload;
    const step = { hook_event_name: "post_tool_use", tool_name, tool_input, tool_use_id: options.toolCallId, tool_response: plain(output) };
    try {
      const judged = await this.#gate.step(this.#sessionOf(options), step, ({ payload }) => payload.tool_response);
      return isDeepStrictEqual(judged, step.tool_response) ? output : judged;
    } catch (error) {
      if (error instanceof Halted || !(error instanceof NotCleared)) throw error;
      throw new Error(`the output is withheld: ${error.reason}`, { cause: error });
    }
  }
}

/** Whether the message with the call is there already. */
function isAnswered({ toolCallId, messages }) {
  return messages.some(({ content }) => Array.isArray(content) && content.some((part) => part.toolCallId === toolCallId));
}
