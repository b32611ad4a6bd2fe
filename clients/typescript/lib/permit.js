// What a step that goes on is reached through.

import { PermitUsed } from "./errors.js";

/** A step that was cleared, as it was judged. It is good for one action. */
export class Permit {
  #payload;
  #isOpen = true;

  constructor(payload, report) {
    this.#payload = payload;
    /** The decision record. */
    this.report = report;
  }

  /** The fields of the step, as they were judged. */
  get payload() {
    if (!this.#isOpen) throw new PermitUsed();
    return this.#payload;
  }

  /** The arguments of the tool, as they were judged. */
  get input() {
    return this.payload.tool_input;
  }

  /** Texts of hooks for the model. */
  get context() {
    return [...(this.report.context ?? [])];
  }

  /** Texts of hooks for the user. */
  get messages() {
    return [...(this.report.messages ?? [])];
  }

  /** Calls the action, and ends when it does. */
  static async use(payload, report, action) {
    const permit = new Permit(payload, report);
    try {
      return await action(permit);
    } finally {
      permit.#isOpen = false;
    }
  }
}
