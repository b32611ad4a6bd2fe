// What is thrown for a step that does not go on.

/** The step does not run now. Every other error of a step is one of these. */
export class NotCleared extends Error {
  /**
   * @param {string} reason
   * @param {Record<string, any> | null} [report] the decision record, if the step was judged
   * @param {{cause?: unknown}} [options]
   */
  constructor(reason, report = null, options = undefined) {
    super(reason, options);
    this.name = new.target.name;
    this.reason = reason;
    this.report = report;
  }

  /** The hooks that have decided. */
  get by() {
    return [...(this.report?.by ?? [])];
  }
}

/** The step does not happen. */
export class Denied extends NotCleared {}

/** The server is gone, or cannot be understood any more. */
export class Lost extends Denied {
  constructor(why, options) {
    super(`${why}, so the step does not happen`, null, options);
  }
}

/** The step was not judged in time. */
export class DeadlinePassed extends Denied {}

/** The host has stopped waiting, or the judgement was cancelled. */
export class Cancelled extends Denied {}

/** The server has refused the request, or what it answers is no verdict. */
export class Refused extends Denied {
  constructor(reason, code = "malformed", more = {}) {
    super(reason);
    this.code = code;
    this.more = more;
  }
}

/** The step does not happen, and the run ends. */
export class Halted extends NotCleared {}

/** A hook has supplied the result: the step does not run. */
export class Answered extends NotCleared {
  constructor(report) {
    super("a hook has supplied the result", report);
    this.answer = report.answer;
  }
}

/** A person is asked. */
export class Asked extends NotCleared {
  #answer;

  constructor(reason, report, question, answer) {
    super(reason, report);
    this.question = question;
    this.#answer = answer;
  }

  /** What would run: this is what the person is to see. */
  get step() {
    return structuredClone(this.question.request.step);
  }

  approve(action, options) {
    return this.#answer("approve", action, options);
  }

  approveWith(edit, action, options) {
    return this.#answer({ approve_with: edit }, action, options);
  }

  async reject(reason, options) {
    await this.#answer({ reject: reason }, () => undefined, options);
    throw new Refused("the server has cleared a step that a person has rejected, so it does not happen");
  }
}

/** The permit has ended with its action. */
export class PermitUsed extends Error {
  constructor() {
    super("the permit has ended with its action");
    this.name = "PermitUsed";
  }
}
