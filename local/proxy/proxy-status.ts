import { NoCredentials } from '../../shared/adapters/aws/sigv4.ts';
import type { Upstream } from './upstream.ts';

/** A Kubernetes `Status`, as clients print it: its message is for people. */
export type ProxyStatus = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly code: number;
};

const statusOf = (code: number, reason: string, message: string): ProxyStatus => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
});

const LOG_IN =
  'log in (`aws sso login`, `aws login`), set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; ' +
  'environment variables are read when `muster proxy` starts, everything else at every request';

/** There are no credentials to sign with. */
export const noCredentials = (error: NoCredentials): ProxyStatus =>
  statusOf(502, 'BadGateway', `muster proxy has no AWS credentials (${error.message}): ${LOG_IN}`);

export const bodyTooLarge = (bytesMax: number): ProxyStatus =>
  statusOf(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}`);

export const badTarget = (): ProxyStatus => statusOf(400, 'BadRequest', 'the address of the request cannot be decoded');

/** There is no response: the request or its response was lost. */
export function unreachable(error: unknown, { host, region }: Upstream): ProxyStatus {
  if (error instanceof NoCredentials) return noCredentials(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ETIMEDOUT')
    return statusOf(
      504,
      'Timeout',
      `muster proxy: ${host} did not answer in time; check whether this machine is online`,
    );
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return statusOf(
      502,
      'BadGateway',
      `muster proxy: the host ${host} does not exist; check the API's id, its Region (${region}), and whether this machine is online`,
    );
  const why = code === 'ECONNREFUSED' ? 'connection refused' : error instanceof Error ? error.message : String(error);
  return statusOf(502, 'BadGateway', `muster proxy: ${host} does not answer: ${why}`);
}

/** An answer in which AWS refuses the signer, as received. */
export type RefusedRequest = { readonly code: number; readonly body: string; readonly dateMs: number | null };

/** The credentials are expired or unknown, so newer ones may exist. */
export const areCredentialsStale = ({ body }: RefusedRequest): boolean =>
  /security token included in the request is (?:expired|invalid)|ExpiredToken|UnrecognizedClient/i.test(body);

/**
 * Explains AWS's refusals and what to do (IAM User Guide, "Troubleshoot Signature Version 4 signing"). Always a 403,
 * because for a 401 kubectl prints only that the user must log in.
 */
export function explained(refusal: RefusedRequest, nowMs: number, { host, prefix, region }: Upstream): ProxyStatus {
  const { body, dateMs } = refusal;
  const { message, status } = messageOf(body);
  const because = (hint: string): ProxyStatus =>
    statusOf(403, 'Forbidden', `muster proxy: ${hint} (AWS says: ${message})`);
  if (/Signature expired|Signature not yet current/i.test(message))
    return because(`this machine's clock is ${skewOf(dateMs, nowMs)}; set it, then repeat`);
  if (areCredentialsStale(refusal)) return because(`AWS no longer accepts these credentials: ${LOG_IN}`);
  if (/signature we calculated does not match/i.test(message))
    return because(`AWS does not accept the signature for ${region}; check the secret key`);
  if (/Credential should be scoped/i.test(message)) return because(`the API is not in ${region}; set --region`);
  if (status !== null) return { ...status, ...statusOf(403, 'Forbidden', message) }; // it explains itself
  const stage = prefix === '' ? 'has no stage' : `has the stage ${prefix}`;
  return because(`${host} does not know this address, which ${stage}; compare it with the output ApiUrl`);
}

function messageOf(body: string): { readonly message: string; readonly status: object | null } {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) {
      const said = 'message' in parsed ? parsed.message : 'Message' in parsed ? parsed.Message : '';
      return { message: String(said), status: 'kind' in parsed && parsed.kind === 'Status' ? parsed : null };
    }
  } catch {
    // not JSON: the text itself
  }
  return { message: body.slice(0, 200), status: null };
}

function skewOf(dateMs: number | null, nowMs: number): string {
  const minutes = dateMs === null ? 0 : Math.round((nowMs - dateMs) / 60_000);
  if (minutes === 0) return 'wrong';
  return `${Math.abs(minutes)} minutes ${minutes < 0 ? 'slow' : 'fast'}`;
}
