import type { Probe } from '../../domain/base/probed.ts';
import { errorText } from '../../domain/base/error-text.ts';

/** Reads something that may be throttled, broken, or forbidden; the rest of the check continues without it. */
export async function probe<T>(ask: () => Promise<T>): Promise<Probe<T>> {
  try {
    return { kind: 'ok', value: await ask() };
  } catch (error) {
    return { kind: 'failed', reason: errorText(error) };
  }
}
