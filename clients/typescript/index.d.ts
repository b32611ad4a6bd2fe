/** Have the steps of an agent judged by hookgate before they happen. See README.md and docs/serve.md. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A step, as `hookgate schema envelope` describes it. */
export interface Envelope {
  hook_event_name: string;
  [field: string]: unknown;
}

/** What a verdict was made of: the decision record of `hookgate run`. */
export interface Report {
  decision: "allow" | "answered" | "ask" | "cancelled" | "deny" | "halt";
  by: string[];
  reason: string | null;
  context: string[];
  messages: string[];
  [field: string]: unknown;
}

export interface CallOptions {
  /** After how many milliseconds the step is denied, if it is not judged. Without it, that of the gate. */
  deadlineMs?: number;
  /** When it is aborted, the step is `Cancelled`. */
  signal?: AbortSignal;
}

export interface GateOptions {
  /** The events that this host has judged or tells of. A guard at another event refuses the gate. */
  events: Iterable<string>;
  /** What the host does if a verdict asks for it. By default all but `context`: add it if the model sees `permit.context`. */
  enforces?: Iterable<"deny" | "ask" | "halt" | "patch" | "answer" | "context">;
  /** Guards that this host cannot enforce, and that are not to keep it from working. */
  acceptUnenforced?: Iterable<string>;
  /** What a lost server means. There is no other value. */
  lost?: "deny";
  /** How many milliseconds a step may take: 30,000 by default. */
  deadlineMs?: number;
}

export interface SpawnOptions extends GateOptions {
  /** The program: by default that of the package for this platform, and if it is not installed, `hookgate` in the PATH. */
  program?: string;
  /** More arguments of `hookgate serve`. */
  args?: string[];
}

/**
 * Starts a server of this program's own. It ends with the gate. One that is lost stays lost: every step is denied.
 * Without a config, the program finds that of the user and of the project.
 */
export function spawn(config: string | URL | null | undefined, options: SpawnOptions): Promise<Gate>;

/** Speaks to `hookgate serve --socket PATH`. A server that was started again is found at the next step. */
export function connect(path: string, options: GateOptions): Promise<Gate>;

/** The step of a tool that is to be used; `more` are other fields of the envelope, such as `cwd`. */
export function toolStep(name: string, input: unknown, more?: Record<string, unknown>): Envelope;

/** The code that does what was judged. Nothing else reaches a step. */
export type Action<T> = (permit: Permit) => T | Promise<T>;

export interface BatchItem {
  session: string;
  step: Envelope;
}

/** Of each step of a batch: it has run, or why it has not. */
export type BatchResult<T> = { ran: true; value: T } | { ran: false; error: NotCleared | Error };

/** What the server tells: a decision, or an override that it has refused. */
export interface Told {
  /** How many were not read in time before this one. */
  lost: number;
  told: { decision: Report } | { refused: { method: string; session: string; why: string } } | null;
}

export interface Gate {
  /** How many milliseconds a step may take. */
  readonly deadlineMs: number;
  /** What the host has said that it fires, and that it does. */
  readonly claims: { readonly events: string[]; readonly enforces: string[] };
  /** What the server has said: generation, config_hash, unenforced. */
  readonly greeting: JsonObject;
  /** Has a step judged, and calls the action if it goes on. Whatever else comes of it is thrown, as a `NotCleared`. */
  step<T>(session: string, step: Envelope, action: Action<T>, options?: CallOptions): Promise<T>;
  /** Has several steps judged at once. One that fails fails alone; the actions of the others run in order, one by one. */
  judgeBatch<T>(
    items: Iterable<BatchItem>,
    action: (permit: Permit, item: BatchItem) => T | Promise<T>,
    options?: CallOptions,
  ): Promise<BatchResult<T>[]>;
  /** Tells of an event that nothing can stop. Resolves to the hooks that have failed, which is no verdict. */
  observe(session: string, step: Envelope, options?: CallOptions): Promise<{ generation: number; failed: string[]; step_id?: string }>;
  /** Adds hooks to the session, which may only tighten; takes out those that were added so. Resolves to their ids. */
  override(session: string, change: { hooks?: JsonObject[]; disable?: string[] }, options?: CallOptions): Promise<string[]>;
  /** Ends a session, with the hooks that were added to it. */
  endSession(session: string, options?: CallOptions): Promise<JsonObject>;
  /** Which hooks are in force, and what is going on. */
  status(options?: CallOptions): Promise<JsonObject>;
  /** Whether the next step would be judged. */
  health(options?: CallOptions): Promise<JsonObject>;
  /** Figures as OpenMetrics. */
  metrics(options?: CallOptions): Promise<string>;
  /** Puts other hooks in force, where the operator permits it. */
  replace(toml: string, options?: CallOptions & { ifGeneration?: number }): Promise<JsonObject>;
  /** Every decision of the server from now on: `for await (const { told } of await gate.events())`. */
  events(options?: CallOptions): Promise<AsyncIterableIterator<Told>>;
  /** Ends the connection, with its sessions. Every step that comes later is denied. */
  close(): Promise<void>;
}

/** A step that was cleared. It is good for its action; after that, reading it throws `PermitUsed`. */
export interface Permit {
  /** The fields of the step, as they were judged: hooks may have rewritten them. */
  readonly payload: JsonObject;
  /** The arguments of the tool, as they were judged. */
  readonly input: any;
  /** The decision record. */
  readonly report: Report;
  /** Texts of hooks for the model. */
  readonly context: string[];
  /** Texts of hooks for the user. */
  readonly messages: string[];
}

/** The step does not run now. Every other error of a step is one of these. */
export class NotCleared extends Error {
  protected constructor();
  /** For the model, or the user. */
  readonly reason: string;
  /** The decision record, if the step was judged. */
  readonly report: Report | null;
  /** The hooks that have decided. */
  readonly by: string[];
}

/** The step does not happen. */
export class Denied extends NotCleared {}

/** The server is gone, or cannot be understood any more: the step does not happen. */
export class Lost extends Denied {}

/** The step was not judged in time: it does not happen. */
export class DeadlinePassed extends Denied {}

/** The host has stopped waiting, or the judgement was cancelled: the step does not happen. */
export class Cancelled extends Denied {}

/** The server has refused the request, or what it answers is no verdict: the step does not happen. */
export class Refused extends Denied {
  /** The name of the error: `unenforced`, `invalid_step`. */
  readonly code: string;
  /** Facts that belong to it. */
  readonly more: JsonObject;
}

/** The step does not happen, and the run ends. */
export class Halted extends NotCleared {}

/** A hook has supplied the result: the step does not run. */
export class Answered extends NotCleared {
  readonly answer: any;
}

/** A person is asked. */
export class Asked extends NotCleared {
  /** The signed question. */
  readonly question: JsonObject;
  /** What would run: this is what the person is to see. */
  readonly step: JsonObject;
  /** The person agrees. */
  approve<T>(action: Action<T>, options?: CallOptions): Promise<T>;
  /** The person agrees to other values of these fields; what comes of it is judged again. */
  approveWith<T>(edit: JsonObject, action: Action<T>, options?: CallOptions): Promise<T>;
  /** The person does not agree: it throws `Denied`. */
  reject(reason: string, options?: CallOptions): Promise<never>;
}

/** The permit has ended with its action. */
export class PermitUsed extends Error {
  constructor();
}
