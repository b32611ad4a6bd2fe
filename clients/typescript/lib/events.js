// What the server tells, as an async iterator.

/** How many notifications may be unread before some are lost. */
const BEHIND = 1024;

export class Events {
  #unread = [];
  #lost = 0;
  #failure = null;
  #isOver = false;
  #waiting = [];
  #unlisten;
  #isClosed;

  constructor(link, isClosed) {
    this.#isClosed = isClosed;
    this.#unlisten = link.listen({
      told: (params) => this.#told(params),
      lost: (error) => this.#end(error),
    });
  }

  #told({ lost = 0, told = null } = {}) {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve({ done: false, value: { lost, told } });
    } else if (this.#unread.length < BEHIND) {
      this.#unread.push({ lost: lost + this.#lost, told });
      this.#lost = 0;
    } else {
      this.#lost += lost + 1;
    }
  }

  #end(error) {
    // Whoever has closed the gate knows it.
    this.#isOver = true;
    this.#failure = this.#isClosed() ? null : error;
    for (const waiting of this.#waiting.splice(0)) this.next().then(waiting.resolve, waiting.reject);
  }

  async next() {
    if (this.#unread.length > 0) return { done: false, value: this.#unread.shift() };
    if (this.#lost > 0) {
      const value = { lost: this.#lost, told: null };
      this.#lost = 0;
      return { done: false, value };
    }
    if (this.#isOver) {
      const failure = this.#failure;
      this.#failure = null;
      if (failure !== null) throw failure;
      return { done: true, value: undefined };
    }
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  async return() {
    this.#unlisten();
    this.#unread = [];
    this.#lost = 0;
    this.#isOver = true;
    this.#failure = null;
    for (const waiting of this.#waiting.splice(0)) waiting.resolve({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
