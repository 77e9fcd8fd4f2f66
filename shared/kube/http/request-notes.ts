import type { Context } from 'hono';

/** What the transport knows of a request, beyond the request. */
export type Origin = {
  /** omitted: the transport counts no requests */
  readonly requestId?: string | undefined;
  readonly sourceIPs?: readonly string[] | undefined;
};

const TAKEN_OVER = 'takenOver';

/** Notes that the connection of a request is not HTTP any more: what is answered is not sent. */
export function noteTakenOver(c: Context): void {
  c.set(TAKEN_OVER, true);
}

/** Whether it is so. */
export const isTakenOver = (c: Context): boolean => c.get(TAKEN_OVER) === true;

const STORED_NAME = 'storedName';

/** Notes the name of the object that a request has created, which its path does not have. */
export function noteStoredName(c: Context, name: string): void {
  c.set(STORED_NAME, name);
}

/** null: it has created none. */
export function storedName(c: Context): string | null {
  const name: unknown = c.get(STORED_NAME);
  return typeof name === 'string' ? name : null;
}
