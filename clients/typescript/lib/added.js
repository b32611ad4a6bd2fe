// The hooks that sessions have added, for a server that was started again.

export class Added {
  #of = new Map();

  note(session, hooks, disable) {
    const of = this.#of.get(session) ?? new Map();
    this.#of.set(session, of);
    for (const id of disable) of.delete(id);
    for (const hook of hooks) {
      of.delete(hook.id);
      of.set(hook.id, structuredClone(hook));
    }
  }

  forget(session) {
    this.#of.delete(session);
  }

  requests() {
    const all = [...this.#of].map(([session, of]) => ({ session, hooks: [...of.values()] }));
    return all.filter(({ hooks }) => hooks.length > 0);
  }
}
