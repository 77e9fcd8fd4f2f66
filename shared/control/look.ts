import type { Sight } from '../domain/finding.ts';

/** Looks at something that may be throttled, broken, or not ours to see: the rest of an examination goes on without it. */
export async function look<T>(ask: () => Promise<T>): Promise<Sight<T>> {
  try {
    return { kind: 'seen', value: await ask() };
  } catch (error) {
    return { kind: 'unseen', reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
