import { createHash } from 'node:crypto';
import * as z from 'zod';
import { CLUSTER_HEADER, readToken } from '../../../domain/token/read-token.ts';
import { type Admission, type CallerIdentity, userOf } from '../../../domain/token/aws-user.ts';
import type { TokenVerdict, TokenVerifier } from '../../../ports/callers/token-verifier.ts';

export type StsTokenOptions = {
  readonly region: string;
  /** Tokens must be signed with it. */
  readonly clusterId: string;
  readonly admission: Admission;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Sends a request. Default: Node's own. */
  readonly send?: (url: string, options: RequestInit) => Promise<Response>;
};

/** STS of the own Region answers in some 50 ms. A token of any sender may make us wait so long, and clients try again. */
const ANSWER_MS = 3_000;
/** An answer of STS has some 500 bytes. */
const ANSWER_BYTES_MAX = 16_384;
/** A client that was refused may have been early: clocks differ. */
const REFUSED_MS = 15_000;
const KEPT_MAX = 1_000;

/** What STS answers to `accept: application/json`; its documentation shows XML only. */
const Answer = z.object({
  GetCallerIdentityResponse: z.object({
    GetCallerIdentityResult: z.object({ Account: z.string(), Arn: z.string(), UserId: z.string() }),
  }),
});

/** STS says so with several status codes. */
const THROTTLED = /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown/;

/**
 * Asks STS who signed a token: sends the request in it, with our cluster's id, to which it must be signed. Answers are kept until
 * the token expires, by its hash; refusals briefly. Requests with one token make one call. The token never leaves this function
 * but to STS.
 */
export function createStsTokenVerifier(options: StsTokenOptions): TokenVerifier {
  const { region, admission, now } = options;
  const kept = new Map<string, Kept>();
  const asked = new Map<string, Promise<TokenVerdict>>();

  const ask = async (url: string, hash: string, expiresMs: number): Promise<TokenVerdict> => {
    const said = await whoSigned(url, options);
    const verdict: TokenVerdict = said.kind === 'signer' ? userOf(said.signer, admission) : said;
    if (verdict.kind === 'later') return verdict;
    kept.delete(hash);
    const [oldest] = kept.keys();
    if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    const untilMs = verdict.kind === 'user' ? expiresMs : Math.min(expiresMs, now() + REFUSED_MS);
    kept.set(hash, { verdict, untilMs });
    return verdict;
  };

  return async (token) => {
    const read = readToken(token, { region, nowMs: now() });
    if (read.kind === 'refused') return read;
    const hash = createHash('sha256').update(token).digest('hex');
    const known = kept.get(hash);
    if (known !== undefined && now() < known.untilMs) return known.verdict;
    const asking = asked.get(hash) ?? ask(read.url, hash, read.expiresMs).finally(() => asked.delete(hash));
    asked.set(hash, asking);
    return asking;
  };
}

type Kept = { readonly verdict: TokenVerdict; readonly untilMs: number };

type Said =
  | { readonly kind: 'signer'; readonly signer: CallerIdentity }
  | Extract<TokenVerdict, { readonly kind: 'refused' | 'later' }>;

async function whoSigned(url: string, { clusterId, send = fetch }: StsTokenOptions): Promise<Said> {
  const later = (why: string): Said => ({ kind: 'later', why });
  let status: number;
  let body: string | null;
  try {
    const response = await send(url, {
      method: 'GET',
      headers: { [CLUSTER_HEADER]: clusterId, accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    ({ status } = response);
    body = await textOf(response);
  } catch (error) {
    return later(`STS cannot be reached: ${reasonOf(error)}`); // its own text might hold the address
  }
  if (body === null) return later('STS sent too long an answer');
  if (status === 429 || status >= 500) return later(`STS answered ${status}`);
  if (status !== 200) return THROTTLED.test(body) ? later('STS is throttled') : { kind: 'refused', fault: 'sts' };
  const answer = Answer.safeParse(jsonIn(body));
  if (!answer.success) return later('STS sent an answer that cannot be read');
  const { Account: account, Arn: arn, UserId: userId } = answer.data.GetCallerIdentityResponse.GetCallerIdentityResult;
  return { kind: 'signer', signer: { account, arn, userId } };
}

/** null: there is more of it than STS ever sends. */
async function textOf(response: Response): Promise<string | null> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `ECONNREFUSED`, `TimeoutError`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause ?? error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
