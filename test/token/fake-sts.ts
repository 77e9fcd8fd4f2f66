import { createHash, createHmac } from 'node:crypto';

/** Somebody with keys, as STS knows him. */
export type Someone = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly arn: string;
  readonly userId: string;
};

export const ACCOUNT = '123456789012';
export const KIM: Someone = {
  accessKeyId: 'AKIAKIMKIMKIMKIMKIM1',
  secretAccessKey: 'kim/secret+key',
  arn: `arn:aws:iam::${ACCOUNT}:user/staff/kim`,
  userId: 'AIDAKIM',
};
/** A session's keys come with a token that must be escaped. */
export const OPS: Someone = {
  accessKeyId: 'ASIAOPSOPSOPSOPSOPS1',
  secretAccessKey: 'ops/secret+key',
  sessionToken: 'FwoGZXIvYXdzE+//ops==',
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/ops/lee@example.org`,
  userId: 'AROAOPS:lee@example.org',
};
export const STRANGER: Someone = {
  accessKeyId: 'AKIASTRANGER00000001',
  secretAccessKey: 'stranger',
  arn: 'arn:aws:iam::999999999999:user/eve',
  userId: 'AIDAEVE',
};

export type Sent = { readonly url: string; readonly headers: Headers; readonly redirect: string | undefined };

export type FakeSts = {
  readonly send: (url: string, options: RequestInit) => Promise<Response>;
  /** What was sent, to whichever host. */
  readonly sent: readonly Sent[];
};

/** STS as its documentation has it: checks the signature, written by AWS's description and not with its SDK. */
export function fakeSts({
  people = [KIM, OPS, STRANGER],
  nowMs,
}: {
  people?: readonly Someone[];
  nowMs: () => number;
}): FakeSts {
  const sent: Sent[] = [];
  return {
    sent,
    async send(url, { headers: given, redirect }) {
      const headers = new Headers(given);
      sent.push({ url, headers, redirect });
      const read = new URL(url);
      if (!/^sts\.[\w-]+\.amazonaws\.com$/.test(read.host)) throw new Error(`no such host: ${read.host}`);
      const someone = people.find(({ accessKeyId }) =>
        read.searchParams.get('X-Amz-Credential')?.startsWith(`${accessKeyId}/`),
      );
      const wrong = someone === undefined ? 'InvalidClientTokenId' : wrongIn(read, headers, someone, nowMs());
      if (someone === undefined || wrong !== null)
        return Response.json(
          { Error: { Code: wrong, Message: 'no', Type: 'Sender' }, RequestId: 'r' },
          { status: 403 },
        );
      const { arn: Arn, userId: UserId } = someone;
      const GetCallerIdentityResult = { Account: Arn.split(':')[4], Arn, UserId };
      return Response.json({
        GetCallerIdentityResponse: { GetCallerIdentityResult, ResponseMetadata: { RequestId: 'r' } },
      });
    },
  };
}

function wrongIn({ host, pathname, search }: URL, headers: Headers, someone: Someone, nowMs: number): string | null {
  const pairs = search
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]);
  const query = new Map(pairs);
  const get = (name: string): string => query.get(name) ?? '';
  if (get('Action') !== 'GetCallerIdentity') return 'InvalidAction';
  if ((query.get('X-Amz-Security-Token') ?? null) !== (someone.sessionToken ?? null)) return 'InvalidClientTokenId';
  const date = get('X-Amz-Date');
  const dateMs = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(dateMs > nowMs - 900_000 && dateMs < nowMs + 900_000)) return 'SignatureDoesNotMatch';
  const [, day = '', region = '', service = ''] = get('X-Amz-Credential').split('/');
  if (service !== 'sts' || !date.startsWith(day)) return 'SignatureDoesNotMatch';
  const names = get('X-Amz-SignedHeaders').split(';');
  if (!names.includes('host')) return 'SignatureDoesNotMatch';
  const canonical = [
    'GET',
    pathname,
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${name === 'host' ? host : (headers.get(name) ?? '').trim()}`),
    '',
    names.join(';'),
    sha256(''),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${someone.secretAccessKey}`);
  const right = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex');
  return right === get('X-Amz-Signature') ? null : 'SignatureDoesNotMatch';
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
