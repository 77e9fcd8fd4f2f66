import { CLUSTER, NOW_MS, tokenOf, urlIn } from './a-token.ts';

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Who is not STS, and who would like to be called. */
const HOSTS = [
  'example.org',
  '127.0.0.1',
  '[::1]',
  '169.254.169.254',
  'localhost:8000',
  'sts.amazonaws.com.example.org',
  'sts.eu-west-1.amazonaws.com.',
  'STS.EU-WEST-1.AMAZONAWS.COM',
  'iam.amazonaws.com',
  'sts.eu-west-1.vpce.amazonaws.com',
  'sts.cn-north-1.amazonaws.com.cn',
  'st\u017f.amazonaws.com',
  'sts\u3002amazonaws.com',
  '',
];
const PATHS = ['', '//', '/%2F', '/%2e%2e/', '/latest/meta-data/', '/\\example.org/', '/;/', '/ ', '/\u00e9'];
const ACTIONS = [
  'AssumeRole',
  'GetSessionToken',
  'getCallerIdentity',
  'GetCallerIdentity%00',
  'GetCallerIdentity%20',
  '',
];
const DATES = [
  '',
  '0',
  '20261125',
  '20261131T150846Z',
  '20261125T150846',
  '19700101T000000Z',
  '99991231T235959Z',
  '%0D%0A',
];
const NOISE = ['\r\nHost: example.org\r\n', '\u{1f600}', '\0', '\u202e', '%', '%0d%0a', '#', '"', ' '];

/**
 * One valid token, spoiled in `count` ways: none of them is a token of somebody for us, though some are signed.
 *
 * @param signed signs a token for another cluster, at another time, for another action
 */
export async function malformedTokens(
  valid: string,
  { count, seed }: { readonly count: number; readonly seed: number },
  signed: (wish: { readonly clusterId?: string; readonly nowMs?: number }) => Promise<string>,
): Promise<readonly string[]> {
  const next = numbers(seed);
  const below = (max: number): number => Math.floor(next() * max);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;
  const url = urlIn(valid);
  const [base = '', query = ''] = url.split('?');
  const host = new URL(url).host;
  const pairs = query.split('&');
  const withQuery = (text: string): string => tokenOf(`${base}?${text}`);
  const put = (name: string, value: string): string =>
    withQuery(pairs.map((pair) => (pair.startsWith(`${name}=`) ? `${name}=${value}` : pair)).join('&'));
  const at = (text: string, what: string): string => {
    const place = below(text.length + 1);
    return text.slice(0, place) + what + text.slice(place);
  };
  const otherCase = (text: string): string =>
    Array.from(text, (c) => (next() < 0.5 ? c.toUpperCase() : c.toLowerCase())).join('');
  const ways: readonly (() => string | Promise<string>)[] = [
    () => put('Action', pick(ACTIONS)),
    () => tokenOf(url.replace(host, pick(HOSTS))),
    () => tokenOf(url.replace(host, `${host}:${below(65_536)}`)),
    () => tokenOf(url.replace(host, `${pick(['me', 'me:pw', host, '%40'])}@${pick([host, ...HOSTS])}`)),
    () => tokenOf(`${base.slice(0, -1)}${pick(PATHS)}?${query}`),
    () => tokenOf(url.replace('https', pick(['http', 'HTTPS', 'ftp', 'file', 'javascript', '']))),
    () => withQuery(at(query, '').concat('&', otherCase(pick(pairs)))),
    () => withQuery([otherCase(`action=${pick(ACTIONS)}`), ...pairs].join('&')),
    () => withQuery(`${query}&${pick(['RoleArn', 'Policy', 'X-Amz-Foo', '', '__proto__', 'constructor'])}=${below(9)}`),
    () =>
      withQuery(
        pairs
          .toSpliced(below(pairs.length), 1)
          .filter((pair) => !pair.startsWith('Version'))
          .join('&'),
      ),
    () => put('X-Amz-SignedHeaders', pick(['host', '', 'host%3Bx-k8s-aws-i', 'x-k8s-aws-id%2Chost'])),
    () => put('X-Amz-Expires', pick(['901', '-1', '60.5', '1e1', '', '99999999999999999999', 'NaN'])),
    () => put('X-Amz-Date', pick(DATES)),
    () => put('X-Amz-Signature', '0'.repeat(64)),
    () => put('X-Amz-Credential', `AKIA${below(1e6)}%2F20261125%2Feu-west-1%2Fsts%2Faws4_request`),
    async () => signed({ nowMs: NOW_MS - 900_000 - below(1e9) }),
    async () => signed({ nowMs: NOW_MS + 301_000 + below(1e9) }),
    async () => signed({ clusterId: pick([`${CLUSTER}x`, 'Muster', CLUSTER.toUpperCase(), '*']) }),
    () => valid + 'A'.repeat(4_097 + below(100_000)),
    () => `${valid}${'A'.repeat(1 + below(3))}`,
    () => tokenOf(at(url, pick(NOISE))),
    () => at(valid, pick(NOISE)),
    () => valid.replace('k8s-aws-v1.', pick(['', 'k8s-aws-v2.', 'k8s-aws-v1', 'K8S-AWS-V1.', 'Bearer k8s-aws-v1.'])),
    () => `${valid.slice(0, below(valid.length))}`,
    () => tokenOf(pick(['', 'null', '{}', 'https:', 'https://', '//', `https://${host}`, url.repeat(3)])),
    () => `k8s-aws-v1.${Buffer.from(Array.from({ length: 1 + below(300) }, () => below(256))).toString('base64url')}`,
  ];
  const made = new Set<string>();
  for (let at = 0; made.size < count; at++) made.add(await ways[at % ways.length]!());
  return [...made];
}
