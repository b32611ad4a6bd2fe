// One connection: lines go out in the order of the calls, and answers come in any order.

import { Lost, Refused } from "./errors.js";
import { decode } from "./json.js";
import { isObject, refusal } from "./wire.js";

/** How many bytes of a line of the server are read. */
const LINE = 64 << 20;

export class Link {
  #writable;
  #end;
  #waiting = new Map();
  /** Requests that nobody waits for any more: their answers may still come. */
  #abandoned = new Set();
  #number = 0;
  #lost = null;
  #listeners = new Set();
  #chunks = [];
  #length = 0;
  /** Of the server's notifications: begun once for a connection. */
  subscribed = null;
  /** Settled when what is behind the connection has ended. */
  ended = null;

  /**
   * @param {import("node:stream").Readable} readable
   * @param {import("node:stream").Writable} writable
   * @param {() => Promise<void>} end
   */
  constructor(readable, writable, end) {
    this.#writable = writable;
    this.#end = end;
    const gone = (error) => this.lose("the server is gone", error);
    readable.on("data", (chunk) => this.#read(chunk));
    for (const name of ["end", "close", "error"]) readable.on(name, gone);
    if (writable !== readable) for (const name of ["close", "error"]) writable.on(name, gone);
  }

  get isLost() {
    return this.#lost !== null;
  }

  /** Sends a request. Returns what is called when nobody waits any longer. */
  call(method, params, resolve, reject) {
    if (this.#lost !== null) {
      reject(this.#lost());
      return () => {};
    }
    this.#number += 1;
    const number = this.#number;
    this.#waiting.set(number, { resolve, reject });
    this.#writable.write(`{"jsonrpc":"2.0","id":${number},"method":"${method}","params":${params}}\n`);
    return () => this.#abandon(number);
  }

  #abandon(number) {
    const waiting = this.#waiting.get(number);
    if (this.#waiting.delete(number)) this.#abandoned.add(number);
    return waiting;
  }

  /** Has each notification told to `told`, and the end to `lost`. Returns what ends it. */
  listen(listener) {
    if (this.#lost !== null) listener.lost(this.#lost());
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #read(chunk) {
    for (let rest = chunk; this.#lost === null; ) {
      const end = rest.indexOf(0x0a);
      this.#chunks.push(end < 0 ? rest : rest.subarray(0, end));
      this.#length += this.#chunks[this.#chunks.length - 1].length;
      if (this.#length > LINE) return this.lose("a line of the server is too long");
      if (end < 0) return undefined;
      const line = Buffer.concat(this.#chunks);
      [this.#chunks, this.#length] = [[], 0];
      rest = rest.subarray(end + 1);
      try {
        this.#take(decode(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line)));
      } catch (error) {
        this.lose(`the server cannot be understood (${error.message})`, error);
      }
    }
    return undefined;
  }

  #take({ value: response, isExact }) {
    if (!isObject(response) || response.jsonrpc !== "2.0") throw new SyntaxError("a line is no response");
    if (typeof response.method === "string" && !("id" in response)) {
      if (response.method === "event") for (const listener of this.#listeners) listener.told(response.params);
      return;
    }
    const { id, error } = response;
    if (id === null && isObject(error)) {
      // It has not read a line, and cannot say which: whatever is waited for may be that.
      for (const number of [...this.#waiting.keys()]) this.#abandon(number).reject(refusal(error));
      return;
    }
    const waiting = this.#waiting.get(id);
    if (this.#waiting.delete(id)) {
      if (isExact) waiting.resolve(response);
      else waiting.reject(new Refused("the answer has an integer beyond ±(2^53−1), which would not be the one that was judged"));
    } else if (!this.#abandoned.delete(id)) {
      throw new SyntaxError("an answer is to no request");
    }
  }

  /** Ends the connection: whatever is waited for is lost. */
  lose(why, cause = undefined) {
    if (this.#lost !== null) return;
    this.#lost = () => new Lost(why, cause instanceof Error ? { cause } : undefined);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#lost());
    for (const listener of this.#listeners) listener.lost(this.#lost());
    this.ended = this.#end();
  }
}
