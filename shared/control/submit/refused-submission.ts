import type { Deps } from '../process/deps.ts';

/**
 * Tells who waits for the Job of a message that makes none, with what the API would have said to a client.
 *
 * @returns who was told, for the log; null: nobody has heard of it, or will
 * @throws what may be tried again; the text of the error does not have the token
 */
export type TellRefused = (
  refusal: { readonly code: number; readonly reason: string; readonly message: string },
  taskToken: string | null,
  deps: Pick<Deps, 'ports'>,
) => Promise<string | null>;
