import { expect, test } from 'vitest';
import { authenticateUsers } from '../../../local/users/authenticate-users.ts';
import type { AuditEvent } from '../../../shared/ports/callers/audit.ts';
import { JOBS, aWorld, manifest } from '../../kube/a-world.ts';

const KIM = { token: 'kims-token', username: 'kim', uid: '1', groups: ['dev', 'system:authenticated'] };
const LEE = { token: 'lees:token', username: 'lee', groups: ['system:authenticated'] };

async function anApi(audited: AuditEvent[] = []) {
  const audit = { record: (event: AuditEvent) => void audited.push(event) };
  const { app } = await aWorld({ embedded: true, authenticate: authenticateUsers([KIM, LEE]) }, { audit });
  return async (path: string, authorization: string | null, init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        ...init,
        headers: {
          host: '127.0.0.1',
          'content-type': 'application/json',
          ...(authorization === null ? {} : { authorization }),
        },
      }),
    );
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['Bearer kims-token', 'kim', { uid: '1', groups: KIM.groups }],
  ['bearer lees:token', 'lee', { groups: LEE.groups }],
  [basic('muster:kims-token'), 'kim', { uid: '1', groups: KIM.groups }],
  [basic(':lees:token'), 'lee', { groups: LEE.groups }],
])('%s is %s', async (authorization, username, more) => {
  const audited: AuditEvent[] = [];
  const ask = await anApi(audited);
  const answer = await ask(JOBS, authorization, { method: 'POST', body: JSON.stringify(manifest('sums')) });
  expect(answer.status).toBe(201);
  expect(audited.map(({ user }) => user)).toEqual([{ username, ...more }]);
});

test.each([
  ['nothing', null],
  ['another token', 'Bearer kims-toke'],
  ['a longer one', 'Bearer kims-token1'],
  ['another case', 'Bearer KIMS-TOKEN'],
  ['two tokens', 'Bearer kims-token lees:token'],
  ['a name for a token', basic('kims-token:')],
  ['a password without a name', basic('kims-token')],
  ['no base64', 'Basic \u00fc'],
  ['another scheme', 'Digest kims-token'],
])('%s: 401 with a Status, for everything', async (_, authorization) => {
  const ask = await anApi();
  for (const path of [
    '/version',
    '/healthz',
    '/livez',
    '/api',
    '/apis',
    '/openapi/v3',
    '/apis/batch/v1/jobs',
    '/nowhere',
  ]) {
    const answer = await ask(path, authorization);
    expect([path, answer.status]).toEqual([path, 401]);
    expect(await answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401 });
  }
});

test('pages of other sites are refused first, whatever they know', async () => {
  const { app } = await aWorld({ embedded: true, authenticate: authenticateUsers([KIM]) });
  const headers = { host: 'rebound.example', authorization: 'Bearer kims-token' };
  const answer = await app.fetch(new Request('http://127.0.0.1/version', { headers }));
  expect(answer.status).toBe(403);
});

test('none of 2,000 tokens that nobody has is somebody’s', async () => {
  const ask = await anApi();
  const answers = await Promise.all(Array.from({ length: 2_000 }, async (_, at) => ask('/version', `Bearer ${at}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
});
