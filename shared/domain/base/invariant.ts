/** Our own bug, never a user's: it raises an alarm and is fixed in code. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws {@link InvariantError} unless `ok`; `what` says what should hold. */
export function invariant(ok: boolean, what: string): asserts ok {
  if (!ok) throw new InvariantError(what);
}

/** For the `default` of a switch over a union: the compiler proves that it is never reached. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`);
}
