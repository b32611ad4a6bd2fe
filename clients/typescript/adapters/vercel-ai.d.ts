/** hookgate in the AI SDK. See docs/sdks.md. */

import type { ToolExecutionOptions, ToolSet } from "ai";

import type { Asked, Gate } from "../index.js";

/** What the adapter enforces, for the gate: `spawn("hooks.toml", CLAIMS)`. */
export const CLAIMS: { events: string[]; enforces: ("deny" | "ask" | "halt" | "patch" | "answer")[] };

export interface HookgateOptions {
  /** Answers a question in place: `true` approves, a text refuses for this reason. Without it, the SDK's approval flow does. */
  ask?: ((asked: Asked) => boolean | string | Promise<boolean | string>) | null;
  /** Events that the gate has declared, and that you have judged yourself. */
  also?: Iterable<string>;
}

export class Hookgate {
  /** `session` is a name, or says it of the options of a tool call. */
  constructor(gate: Gate, session: string | ((options: ToolExecutionOptions) => string), options?: HookgateOptions);
  /** The settings of `generateText` or `streamText`, with tools that are judged. A halt aborts the run. */
  settings<T extends { tools?: ToolSet; abortSignal?: AbortSignal }>(settings: T): T & { abortSignal: AbortSignal };
  /** The question of a call. A rewritten step can be approved only after this has shown it. */
  asked(toolCallId: string, options?: ToolExecutionOptions): Asked;
  /** Answers the question with a no. Resolves to the rest of the `tool-approval-response`. */
  reject(toolCallId: string, reason: string, options?: ToolExecutionOptions): Promise<{ approved: false; reason: string }>;
}
