import { expect, test } from 'vitest';
import type { User } from '../../../../domain/callers/user.ts';
import type { ApiOptions } from '../../../../kube/http/api-deps.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { MERGE, send } from '../../../../../test/kube/write/a-client.ts';

export const ANN: User = { username: 'ann', groups: ['system:authenticated'] };
export const MASTER: User = { username: 'root', groups: ['system:masters'] };
const GROUP = 'rbac.authorization.k8s.io';

/** Lets ann write what runs programs, of whatever API. */
const WRITES = [
  {
    verbs: ['get', 'create', 'update', 'patch'],
    apiGroups: ['batch', 'execution.furiko.io'],
    resources: ['jobs', 'cronjobs', 'jobconfigs'],
  },
];

/** A world in which `as` says who sends what follows; `sent` holds what was submitted. */
export async function anInstallation(authorization: ApiOptions['authorization'] = 'RBAC') {
  let user = MASTER;
  const sent: string[] = [];
  const submissions = {
    send: async (text: string) => {
      sent.push(text);
      return 'id';
    },
  };
  const world = await aWorld({ authorization, userOf: () => user }, { submissions });
  const as = async (who: User, method: string, path: string, body?: object, type?: string) => {
    user = who;
    const answer = await send(world, method, path, body, type);
    await world.clock.sleep(2000);
    return answer;
  };
  /** Gives ann rules, in her namespace or everywhere. */
  const grant = async (name: string, rules: readonly object[], kind: 'Role' | 'ClusterRole' = 'Role') => {
    const path = `/apis/${GROUP}/v1/${kind === 'Role' ? 'namespaces/default/' : ''}${kind.toLowerCase()}`;
    await as(MASTER, 'POST', `${path}s`, { metadata: { name }, rules });
    const subjects = [{ kind: 'User', name: 'ann' }];
    const binding = { metadata: { name }, roleRef: { kind, name }, subjects };
    expect((await as(MASTER, 'POST', `${path}bindings`, binding)).code).toBe(201);
  };
  /** Lets ann use an account. */
  const allow = async (account: string) =>
    grant('uses', [{ verbs: ['use'], apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [account] }]);
  await grant('writes', WRITES);
  return { as, grant, allow, sent };
}

export const container = { name: 'main', image: 'busybox', command: ['true'] };
/** A Pod's spec under an account; null: under the one named default. */
export const podOf = (account: string | null) => ({
  restartPolicy: 'Never',
  containers: [container],
  ...(account === null ? {} : { serviceAccountName: account }),
});

/** Whose Pods run under an account: where it is posted to, where the account is, and one with it. */
export type Accounted = readonly [
  kind: string,
  path: string,
  field: string,
  document: (account: string | null) => object,
];

/** What holds for everything that runs Pods under an account. */
export function testAccounts([, path, field, document]: Accounted): void {
  test('is written by who may use it', async () => {
    const { as, allow } = await anInstallation();
    const why = 'user "ann" cannot use the ServiceAccount "reports" in the namespace "default"';
    const refused = await as(ANN, 'POST', path, document('reports'));
    expect([refused.code, refused.body.details?.causes]).toMatchObject([403, [{ field, message: why }]]);
    expect(refused.body.message).toContain(`${field}: ${why}`);
    for (const account of [null, 'default']) {
      expect((await as(ANN, 'POST', `${path}?dryRun=All`, document(account))).code).toBe(201);
    }
    await allow('reports');
    expect((await as(ANN, 'POST', `${path}?dryRun=All`, document('other'))).code).toBe(403);
    expect((await as(ANN, 'POST', path, document('reports'))).code).toBe(201);
  });

  test('of somebody else may be labeled, but not made to run something else', async () => {
    const { as } = await anInstallation();
    await as(MASTER, 'POST', path, document('reports'));
    const labels = { metadata: { labels: { a: 'b' } } };
    expect((await as(ANN, 'PATCH', `${path}/x`, labels, MERGE)).code).toBe(200);
    if (!path.endsWith('cronjobs') && !path.endsWith('jobconfigs')) return; // a Job's template cannot change
    const other = JSON.parse(JSON.stringify(document('reports')).replace('busybox', 'mine')) as object;
    expect((await as(ANN, 'PUT', `${path}/x`, other)).code).toBe(403);
    expect((await as(MASTER, 'PUT', `${path}/x`, other)).code).toBe(200);
  });

  test('is anybody’s where roles do not decide', async () => {
    const { as } = await anInstallation('AlwaysAllow');
    expect((await as(ANN, 'POST', path, document('reports'))).code).toBe(201);
  });
}

const SUBMISSIONS = '/muster/v1/submissions';

/**
 * A submission is held to the accounts, too, whatever its Job is made from.
 *
 * @param standing what is there that a message may name; `aJob` goes into a message, too
 * @param from what messages name
 */
export function testSubmissions(
  standing: readonly (readonly [path: string, document: object])[],
  aJob: (account: string | null) => object,
  from: readonly object[],
): void {
  test('a submission is held to it, too, whatever its Job is made from', async () => {
    const { as, allow, sent } = await anInstallation();
    for (const [path, document] of standing) expect((await as(MASTER, 'POST', path, document)).code).toBe(201);
    const messages = [{ manifest: aJob('reports') }, ...from.map((each) => ({ from: each }))];
    for (const message of messages) {
      const refused = await as(ANN, 'POST', SUBMISSIONS, message);
      expect([refused.code, refused.body.message]).toEqual([
        403,
        'user "ann" cannot use the ServiceAccount "reports" in the namespace "default"',
      ]);
    }
    expect((await as(ANN, 'POST', SUBMISSIONS, { manifest: aJob(null) })).code).toBe(202);
    await allow('reports');
    for (const message of messages) expect((await as(ANN, 'POST', SUBMISSIONS, message)).code).toBe(202);
    expect(sent).toHaveLength(messages.length + 1);
  });
}
