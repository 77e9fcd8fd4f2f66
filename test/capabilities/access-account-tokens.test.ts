import { describe, expect, test } from 'vitest';
import { authenticateUsers } from '../../local/users/authenticate-users.ts';
import { aGuardedWorld, grants, rule } from '../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { accountUser } from '../../shared/capabilities/account-tokens/kube/index.ts';
import { readClaims } from '../../shared/capabilities/account-tokens/schema/read-claims.ts';
import { taskTokens } from '../../shared/capabilities/account-tokens/local/pod-token-signer.ts';
import { jobNameOfPod } from '../../shared/domain/manifests/bare-pod.ts';
import { formatGroup } from '../../shared/domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import { readAccount } from '../../shared/store/read-account.ts';
import { authenticatedUser } from '../../shared/kube/http/authentication.ts';

const CORE = '/api/v1/namespaces/team-a';
const ACCOUNT = `${CORE}/serviceaccounts/builder`;
const MASTER = { token: 'm', username: 'root', groups: ['system:masters'] };
const KIM = { token: 'k', username: 'kim', groups: [] };
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'made' },
  spec: {
    restartPolicy: 'Never',
    serviceAccountName: 'builder',
    containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
  },
};

/** An installation whose users sign in with tokens: root may do everything, kim what `rules` say, accounts what those of `builder` say. */
async function anInstallation(rules: readonly string[] = [], ofBuilder: readonly string[] = ['list pods']) {
  const name = 'system:serviceaccount:team-a:builder';
  const world = await aGuardedWorld(
    grants(
      { user: 'kim', namespace: 'team-a', rules: rules.map((text) => rule(text)) },
      { user: name, namespace: 'team-a', rules: [] },
      { user: 'system:serviceaccounts:team-a', namespace: 'team-a', rules: ofBuilder.map((text) => rule(text)) },
    ),
    { authenticate: authenticateUsers([MASTER, KIM], [accountUser]), userOf: authenticatedUser, hostFolders: [] },
    { firstPodsMax: 1 },
  );
  const as = async (token: string, method: string, path: string, body?: object) => {
    const answer = await world.send(method, path, { body, headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    return { code: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answered };
  };
  await as('m', 'POST', `${CORE}/serviceaccounts`, { metadata: { name: 'builder' } });
  const tokenOf = async (spec: object = {}, path = ACCOUNT) => as('m', 'POST', `${path}/token`, { spec });
  return { ...world, as, tokenOf };
}

type Answered = {
  readonly message?: string;
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly audiences: readonly string[]; readonly expirationSeconds: number };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
};

describe('the token of a ServiceAccount', () => {
  test('signs its account in, as which roles decide', async () => {
    const { as, tokenOf } = await anInstallation();
    const made = await tokenOf();
    expect(made.code).toBe(201);
    expect(made.body.spec).toMatchObject({ expirationSeconds: 3600 });
    const { token } = made.body.status;
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(200);
    expect(await as(token, 'GET', `${CORE}/secrets`)).toMatchObject({
      code: 403,
      body: { message: expect.stringContaining('User "system:serviceaccount:team-a:builder" cannot list') as string },
    });
    expect((await as(token, 'GET', '/api/v1/namespaces/team-b/pods')).code).toBe(403);
    expect((await as(`${token}x`, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('holds as long as it says', async () => {
    const { as, tokenOf, clock } = await anInstallation();
    const { token } = (await tokenOf({ expirationSeconds: 600 })).body.status;
    await clock.sleep(599_000);
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(200);
    await clock.sleep(1_000);
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('is worth nothing to this API if it is for others', async () => {
    const { as, tokenOf } = await anInstallation();
    const { token } = (await tokenOf({ audiences: ['vault'] })).body.status;
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('goes with its account, also if another gets the name', async () => {
    const { as, tokenOf } = await anInstallation();
    const { token } = (await tokenOf()).body.status;
    await as('m', 'DELETE', ACCOUNT);
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
    await as('m', 'POST', `${CORE}/serviceaccounts`, { metadata: { name: 'builder' } });
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('goes with the Pod that it is bound to', async () => {
    const { as, tokenOf } = await anInstallation();
    const { uid } = (await as('m', 'POST', `${CORE}/pods`, POD)).body.metadata;
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'made' };
    expect((await tokenOf({ boundObjectRef: { ...ref, uid: 'another' } })).code).toBe(409);
    expect((await tokenOf({ boundObjectRef: { ...ref, name: 'none' } })).code).toBe(404);
    expect((await tokenOf({ boundObjectRef: ref }, `${CORE}/serviceaccounts/default`)).body.message).toContain(
      'to pod running with different serviceaccount name',
    );
    const { token } = (await tokenOf({ boundObjectRef: { ...ref, uid } })).body.status;
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(200);
    await as('m', 'DELETE', `${CORE}/pods/made?gracePeriodSeconds=0`);
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('is made for the account default of each namespace, and for no account that is not there', async () => {
    const { tokenOf } = await anInstallation();
    expect((await tokenOf({}, `${CORE}/serviceaccounts/default`)).code).toBe(201);
    expect((await tokenOf({}, `${CORE}/serviceaccounts/none`)).code).toBe(404);
    expect((await tokenOf({}, '/api/v1/namespaces/none/serviceaccounts/default')).code).toBe(404);
  });

  test('is made by those who may create one, and by no other', async () => {
    const some = await anInstallation(['create serviceaccounts/token']);
    expect((await some.as('k', 'POST', `${ACCOUNT}/token`, { spec: {} })).code).toBe(201);
    const others = await anInstallation(['create,get,update serviceaccounts']);
    expect((await others.as('k', 'POST', `${ACCOUNT}/token`, { spec: {} })).code).toBe(403);
  });

  test('is not made where a name or a namespace is another one', async () => {
    const { as } = await anInstallation();
    for (const metadata of [{ name: 'other' }, { namespace: 'team-b' }])
      expect((await as('m', 'POST', `${ACCOUNT}/token`, { metadata, spec: {} })).code).toBe(400);
    expect((await as('m', 'POST', `${ACCOUNT}/token`, { spec: { expirationSeconds: 1 } })).code).toBe(422);
    expect((await as('m', 'GET', `${ACCOUNT}/token`)).code).toBe(405);
  });
});

describe('tokens of the Pods that tasks run', () => {
  const PLACE = { host: '10.201.0.1', port: 20_000, authority: 'PEM' };
  const projected = (more: object) => ({
    volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: './in/token', ...more } }] } }],
  });

  /** A bare Pod, and what is signed for its task. */
  async function aTask(spec: object = {}, account: object = {}) {
    const world = await anInstallation();
    const { as, objects, jobs, clock, deps } = world;
    if (Object.keys(account).length > 0) await as('m', 'PUT', ACCOUNT, { metadata: { name: 'builder' }, ...account });
    const pod = await as('m', 'POST', `${CORE}/pods`, { ...POD, spec: { ...POD.spec, ...spec } });
    const signer = deps.ports?.accountTokens;
    if (signer === undefined || pod.code !== 201) throw new Error(JSON.stringify(pod.body));
    const uid = await jobs.findJob('team-a', jobNameOfPod('made'));
    const tokens = taskTokens(
      signer,
      Promise.resolve({ jobs, clock }),
      async (key) => readAccount(key, objects),
      PLACE,
    );
    const task = { startedBy: uid, group: formatGroup(GROUP_PREFIX, { index: 0, attempt: 1, nonce: 0 }) };
    return { ...world, tokens, task, signed: await tokens.sign(task) };
  }

  test('sign in as their account, as long as the Pod is there', async () => {
    const { as, signed } = await aTask();
    if (signed.kind !== 'signed' || signed.access === null) throw new Error('not signed');
    const { files, environment } = signed.access;
    expect(files).toMatchObject({ namespace: 'team-a', 'ca.crt': 'PEM' });
    expect(environment).toMatchObject({ KUBERNETES_SERVICE_HOST: '10.201.0.1', KUBERNETES_SERVICE_PORT: '20000' });
    const { token = '' } = files;
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(200);
    await as('m', 'DELETE', `${CORE}/pods/made?gracePeriodSeconds=0`);
    expect((await as(token, 'GET', `${CORE}/pods`)).code).toBe(401);
  });

  test('are not mounted if the Pod, or else the account, does not want that', async () => {
    const accessOf = async (...given: Parameters<typeof aTask>) => {
      const { signed } = await aTask(...given);
      return signed.kind === 'signed' && signed.access !== null;
    };
    expect(await accessOf({ automountServiceAccountToken: false })).toBe(false);
    expect(await accessOf({}, { automountServiceAccountToken: false })).toBe(false);
    expect(await accessOf({ automountServiceAccountToken: true }, { automountServiceAccountToken: false })).toBe(true);
  });

  test('are for whom their volume says, and are signed anew when the shortest of them grows old', async () => {
    const { deps, clock, signed } = await aTask(projected({ audience: 'vault', expirationSeconds: 600 }));
    if (signed.kind !== 'signed') throw new Error(signed.why);
    const claims = readClaims(await deps.ports?.accountTokens?.read(signed.files.get('v/in/token') ?? ''));
    expect(claims).toMatchObject({ aud: ['vault'], 'kubernetes.io': { pod: { name: 'made' } } });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(600);
    expect(signed.renewAtMs - clock.now()).toBe(480_000);
  });

  test('are refused where the account is not there, and for a task without a Pod', async () => {
    const { as, tokens, task } = await aTask();
    await as('m', 'DELETE', ACCOUNT);
    expect(await tokens.sign(task)).toEqual({ kind: 'refused', why: 'serviceaccounts "builder" not found' });
    for (const other of [{ startedBy: null }, { group: 'family:x' }, { startedBy: 'gone' }])
      expect(await tokens.sign({ ...task, ...other })).toMatchObject({ kind: 'refused' });
  });
});

test('where users do not sign in with tokens, the answer says where they do', async () => {
  const world = await aGuardedWorld(grants(), { authorization: 'AlwaysAllow' });
  const answer = await world.asMaster('POST', `/api/v1/namespaces/team-a/serviceaccounts/default/token`, { spec: {} });
  expect([answer.status, await answer.text()]).toEqual([405, expect.stringContaining('--users')]);
});
