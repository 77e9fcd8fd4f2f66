import { describe, expect, test } from 'vitest';
import { type StsTokenOptions, createStsTokenVerifier } from '../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { CLUSTER, NOW_MS, REGION, aToken, tokenOf, urlIn } from './a-token.ts';
import { ACCOUNT, KIM, OPS, STRANGER, fakeSts } from './fake-sts.ts';

const KIMS_USER = { kind: 'user', user: { username: KIM.arn, uid: 'AIDAKIM', groups: ['system:authenticated'] } };

function aVerifier(send?: NonNullable<StsTokenOptions['send']>) {
  let nowMs = NOW_MS;
  const sts = fakeSts({ nowMs: () => nowMs });
  const verify = createStsTokenVerifier({
    region: REGION,
    clusterId: CLUSTER,
    admission: { accounts: [ACCOUNT], admins: [`arn:aws:iam::${ACCOUNT}:role/ops`] },
    now: () => nowMs,
    send: send ?? sts.send,
  });
  return { verify, sent: sts.sent, pass: (ms: number) => void (nowMs += ms) };
}

test('STS is asked for our cluster, and says who signed', async () => {
  const { verify, sent } = aVerifier();
  const token = await aToken(KIM);
  expect(await verify(token)).toEqual(KIMS_USER);
  expect(sent.map(({ url, redirect }) => [url, redirect])).toEqual([[urlIn(token), 'manual']]);
  expect(Object.fromEntries(sent[0]!.headers)).toEqual({ 'x-k8s-aws-id': CLUSTER, accept: 'application/json' });
});

test('STS of another Region is not asked, whether there is such a Region or not', async () => {
  const { verify, sent } = aVerifier();
  for (const region of ['us-east-1', 'zz-evil-9'])
    expect(await verify(await aToken(KIM, { region }))).toEqual({ kind: 'refused', fault: 'host' });
  expect(sent).toEqual([]);
});

test('a session is its role, and an administrator if the role is one', async () => {
  const { verify } = aVerifier();
  expect(await verify(await aToken(OPS))).toEqual({
    kind: 'user',
    user: {
      username: `arn:aws:iam::${ACCOUNT}:role/ops`,
      uid: 'AROAOPS',
      groups: ['system:masters', 'system:authenticated'],
    },
  });
});

describe('refused', () => {
  test.each([
    ['for another cluster', async () => aToken(KIM, { clusterId: 'other' }), 'sts'],
    ['of keys that AWS does not know', async () => aToken({ ...KIM, accessKeyId: 'AKIANOBODY' }), 'sts'],
    ['of a wrong key', async () => aToken({ ...KIM, secretAccessKey: 'guessed' }), 'sts'],
    ['of another account', async () => aToken(STRANGER), 'account'],
  ])('is a token %s', async (_, signed, fault) => {
    const { verify, sent } = aVerifier();
    expect(await verify(await signed())).toEqual({ kind: 'refused', fault });
    expect(sent).toHaveLength(1);
  });

  test('is a redirection, which is not followed', async () => {
    const asked: string[] = [];
    const { verify } = aVerifier(async (url) => {
      asked.push(url);
      return new Response(null, { status: 302, headers: { location: 'https://example.org/' } });
    });
    expect(await verify(await aToken())).toEqual({ kind: 'refused', fault: 'sts' });
    expect(asked).toHaveLength(1);
  });
});

describe('later', () => {
  const failing = (code: string) => async (): Promise<Response> => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('at an address'), { code }) });
  };
  test.each<[string, () => Promise<Response>, string]>([
    ['429', async () => new Response('', { status: 429 }), 'STS answered 429'],
    ['503', async () => new Response('', { status: 503 }), 'STS answered 503'],
    [
      'throttling with 400',
      async () => Response.json({ Error: { Code: 'Throttling', Message: 'Rate exceeded' } }, { status: 400 }),
      'STS is throttled',
    ],
    ['no connection', failing('ECONNREFUSED'), 'STS cannot be reached: ECONNREFUSED'],
    ['a name that is not found', failing('ENOTFOUND'), 'STS cannot be reached: ENOTFOUND'],
    ['no JSON', async () => new Response('<html>'), 'STS sent an answer that cannot be read'],
    ['other JSON', async () => Response.json({ Arn: KIM.arn }), 'STS sent an answer that cannot be read'],
    ['too much', async () => new Response('x'.repeat(20_000)), 'STS sent too long an answer'],
  ])('nobody can tell after %s, and the next request asks again', async (_, answer, why) => {
    let calls = 0;
    const { verify } = aVerifier(async () => {
      calls++;
      return answer();
    });
    const token = await aToken();
    expect(await verify(token)).toEqual({ kind: 'later', why });
    expect(await verify(token)).toEqual({ kind: 'later', why });
    expect(calls).toBe(2);
  });

  test('a long answer is not read to its end', async () => {
    let sent = 0;
    const long = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_024;
        controller.enqueue(new Uint8Array(1_024));
        if (sent > 1_000_000) controller.close();
      },
    });
    const { verify } = aVerifier(async () => new Response(long));
    expect(await verify(await aToken())).toMatchObject({ kind: 'later' });
    expect(sent).toBeLessThan(40_000);
  });
});

describe('an answer is kept', () => {
  test('until the token expires', async () => {
    const { verify, sent, pass } = aVerifier();
    const token = await aToken();
    for (const ms of [0, 60_000, 839_000]) {
      pass(ms);
      expect(await verify(token)).toEqual(KIMS_USER);
    }
    expect(sent).toHaveLength(1);
    pass(1_000);
    expect(await verify(token)).toEqual({ kind: 'refused', fault: 'expired' });
    expect(sent).toHaveLength(1);
  });

  test('briefly if it was a refusal', async () => {
    const { verify, sent, pass } = aVerifier();
    const token = await aToken(STRANGER);
    await verify(token);
    await verify(token);
    expect(sent).toHaveLength(1);
    pass(15_000);
    expect(await verify(token)).toEqual({ kind: 'refused', fault: 'account' });
    expect(sent).toHaveLength(2);
  });

  test('for requests at the same time: one call for all of them, and one for each token', async () => {
    const { verify, sent } = aVerifier();
    const tokens = [await aToken(KIM), await aToken(OPS)];
    const verdicts = await Promise.all(Array.from({ length: 40 }, async (_, at) => verify(tokens[at % 2]!)));
    expect(sent).toHaveLength(2);
    expect(new Set(verdicts.map((verdict) => JSON.stringify(verdict))).size).toBe(2);
  });

  test('for the last thousand tokens', async () => {
    const { verify, sent } = aVerifier();
    const urls = [urlIn(await aToken(KIM)), urlIn(await aToken(KIM, { nowMs: NOW_MS - 60_000 }))];
    const tokens = urls.flatMap((url) =>
      Array.from({ length: 501 }, (_, at) => tokenOf(url.replace(/Expires=\d+/, `Expires=${at + 100}`))),
    );
    for (const token of tokens) await verify(token);
    expect(sent).toHaveLength(1_002);
    for (const token of tokens.slice(2)) await verify(token);
    expect(sent).toHaveLength(1_002);
    await verify(tokens[0]!);
    expect(sent).toHaveLength(1_003);
  });
});
