// Where steps are judged.

import { Added } from "./added.js";
import { Cancelled, DeadlinePassed, Lost, NotCleared, Refused } from "./errors.js";
import { Events } from "./events.js";
import { encode } from "./json.js";
import { GRACE, hello, proceed, resultOf } from "./wire.js";

/** The longest time that a timer of node waits for. */
const LONGEST = 2 ** 31 - 1 - GRACE;

export class Gate {
  #open;
  #hello;
  #findsAgain;
  #link = null;
  #opening = null;
  #isClosed = false;
  #added = new Added();

  /** Made by `spawn` and `connect`. */
  static async opened(open, findsAgain, options) {
    const gate = new Gate(open, findsAgain, options);
    await gate.#greeted();
    return gate;
  }

  constructor(open, findsAgain, { events, enforces, acceptUnenforced, lost, deadlineMs }) {
    if (lost !== "deny") throw new TypeError('`lost` says what a lost server means, and only "deny" is possible');
    [this.#open, this.#findsAgain] = [open, findsAgain];
    this.#hello = hello(events, enforces, acceptUnenforced);
    /** How many milliseconds a step may take. */
    this.deadlineMs = checked(deadlineMs);
    /** What the host has said that it does, and that it fires. */
    this.claims = { events: this.#hello.events, enforces: this.#hello.enforces };
    /** What the server has said: generation, config_hash, unenforced. */
    this.greeting = null;
  }

  async #greeted() {
    const link = await this.#open();
    this.#link ??= link;
    try {
      this.greeting = await this.#call("hello", this.#hello, {}, link);
      for (const request of this.#added.requests()) await this.#call("override", request, {}, link);
      if (this.#isClosed) throw new Lost("the gate is closed");
    } catch (error) {
      link.lose("the server was not greeted");
      throw error;
    }
    this.#link = link;
    return link;
  }

  /** Returns the link to use, or a promise of one if the server has to be found again. */
  #current() {
    if (!this.#link.isLost || !this.#findsAgain || this.#isClosed) return this.#link;
    this.#opening ??= this.#greeted().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Calls a method. It is sent before this returns, if the server is there: so steps keep their order. */
  #call(method, params, { deadlineMs = this.deadlineMs, signal = undefined } = {}, given = null) {
    return new Promise((resolve, reject) => {
      const text = encode(params);
      const limit = checked(deadlineMs);
      let isOver = false;
      let abandon = () => {};
      const end = (settle, value) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        abandon();
        settle(value);
      };
      const stop = () => end(reject, cancelled(signal));
      const timer = setTimeout(() => {
        end(reject, new DeadlinePassed(`the server has not answered within ${limit} ms, so the step does not happen`));
      }, limit + GRACE);
      if (signal?.aborted) {
        stop();
        return;
      }
      signal?.addEventListener("abort", stop, { once: true });
      const fail = (error) => end(reject, error);
      const answered = (response) => {
        try {
          end(resolve, resultOf(response));
        } catch (error) {
          fail(error);
        }
      };
      const send = (link) => {
        if (!isOver) abandon = link.call(method, text, answered, fail);
      };
      const link = given ?? this.#current();
      if (link instanceof Promise) link.then(send, fail);
      else send(link);
    });
  }

  /** Has a step judged, and calls the action with the permit if it goes on. */
  step(session, step, action, options = {}) {
    return this.#judge("judge", { session, step }, action, options);
  }

  async #judge(method, params, action, options = {}) {
    if (typeof action !== "function") throw new TypeError("the action is a function, which gets the permit");
    const deadline_ms = whole(options.deadlineMs ?? this.deadlineMs);
    const judged = await this.#call(method, { ...params, deadline_ms }, options);
    if (options.signal?.aborted) throw cancelled(options.signal);
    return proceed(judged, action, this.#answerIn(params.session));
  }

  #answerIn(session) {
    return (question, answer, action, options) =>
      this.#judge("ask.answer", { session, question, answer }, action, options);
  }

  /** Has several steps judged at once. One that fails fails alone; the actions of the others run in this order, one by one. */
  async judgeBatch(items, action, options = {}) {
    if (typeof action !== "function") throw new TypeError("the action is a function, which gets the permit");
    const deadline_ms = whole(options.deadlineMs ?? this.deadlineMs);
    const outcomes = [...items].map((item) => ({ item, judged: null, error: null }));
    const sent = [];
    for (const [at, outcome] of outcomes.entries()) {
      const { session, step } = outcome.item;
      try {
        sent.push({ outcome, params: JSON.parse(encode({ id: String(at), session, step, deadline_ms })) });
      } catch (error) {
        outcome.error = error;
      }
    }
    try {
      const answers = sent.length === 0 ? [] : await this.#batch(sent, options);
      for (const [at, { outcome }] of sent.entries()) outcome.judged = answers[at];
    } catch (error) {
      if (!(error instanceof NotCleared)) throw error;
      for (const { outcome } of sent) outcome.error = error;
    }
    const results = [];
    for (const outcome of outcomes) results.push(await this.#finish(outcome, action, options));
    return results;
  }

  async #batch(sent, options) {
    const { items } = await this.#call("judge_batch", { items: sent.map(({ params }) => params) }, options);
    const isWhole =
      Array.isArray(items) && items.length === sent.length && items.every((item, at) => item?.id === sent[at].params.id);
    if (!isWhole) throw new Refused("the answers of the batch are not those of its steps");
    return items;
  }

  async #finish({ item, judged, error }, action, options) {
    try {
      if (error !== null) throw error;
      if (options.signal?.aborted) throw cancelled(options.signal);
      const act = (permit) => action(permit, item);
      return { ran: true, value: await proceed(resultOf(judged), act, this.#answerIn(item.session)) };
    } catch (failure) {
      return { ran: false, error: failure };
    }
  }

  /** Tells of an event that nothing can stop. */
  observe(session, step, options = {}) {
    return this.#call("observe", { session, step }, options);
  }

  /** Adds hooks to the session, which may only tighten; takes out those that were added so. Returns their ids. */
  async override(session, { hooks = [], disable = [] } = {}, options = {}) {
    const { added } = await this.#call("override", { session, hooks, disable }, options);
    this.#added.note(session, hooks, disable);
    return added;
  }

  /** Ends a session, with the hooks that were added to it. */
  endSession(session, options = {}) {
    this.#added.forget(session);
    return this.#call("session.end", { session }, options);
  }

  /** Which hooks are in force, and what is going on. */
  status(options = {}) {
    return this.#call("status", {}, options);
  }

  /** Whether the next step would be judged. */
  health(options = {}) {
    return this.#call("health", {}, options);
  }

  /** Figures as OpenMetrics. */
  async metrics(options = {}) {
    return (await this.#call("metrics", {}, options)).text;
  }

  /** Puts other hooks in force, where the operator permits it. */
  replace(toml, { ifGeneration = undefined, ...options } = {}) {
    return this.#call("replace", { toml, if_generation: ifGeneration }, options);
  }

  /** Every decision of the server from now on. It resolves when the server has begun to tell them. */
  async events(options = {}) {
    const link = await this.#current();
    const events = new Events(link, () => this.#isClosed);
    const begun = () => this.#call("events", {}, options, link);
    link.subscribed ??= begun();
    try {
      await link.subscribed;
    } catch (error) {
      link.subscribed = null;
      await events.return();
      throw error;
    }
    options.signal?.addEventListener("abort", () => events.return(), { once: true });
    return events;
  }

  /** Ends the connection, with its sessions. Every step that comes later is denied. */
  async close() {
    this.#isClosed = true;
    this.#link.lose("the gate is closed");
    await this.#link.ended;
  }
}

function checked(deadlineMs) {
  if (typeof deadlineMs === "number" && deadlineMs > 0 && deadlineMs <= LONGEST) return deadlineMs;
  throw new TypeError(`a deadline is a number of milliseconds, from 1 to ${LONGEST}`);
}

function whole(deadlineMs) {
  return Math.max(1, Math.floor(checked(deadlineMs)));
}

function cancelled(signal) {
  return new Cancelled("the host does not wait any longer, so the step does not happen", null, { cause: signal.reason });
}
