import { Failure } from '../shell/failure.ts';
import type { SignedFor } from './exec-user.ts';

const kept = new WeakMap<SignedFor, { readonly token: string; readonly expiresMs: number }>();

/**
 * A token for a server whose kubeconfig has `muster token`, signed in this process and kept until it expires.
 *
 * @throws Failure without credentials
 */
export async function tokenFor(signed: SignedFor, nowMs: number): Promise<string> {
  const known = kept.get(signed);
  if (known !== undefined && nowMs < known.expiresMs) return known.token;
  const { ownToken } = await import('../../local/tokens/own-token.ts');
  const own = await ownToken({ ...signed, nowMs });
  if (own.kind === 'refused') throw new Failure(`error: ${own.reason}`);
  kept.set(signed, own);
  return own.token;
}
