import { roleAuthorizer } from '../../kube/role-authorizer.ts';
import { describe, expect, it } from 'vitest';
import { type Policy, policyOf } from '../../domain/policy.ts';
import { aWorld, manifest } from '../../../../../test/kube/a-world.ts';
import { isThere } from '../../../../../test/support/kinds-there.ts';
import { aGuardedWorld, grants, rule } from './a-guarded-world.ts';

const NOTHING = policyOf([], []);
const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const jane = (...rules: readonly string[]): Policy =>
  grants({ user: 'jane', namespace: 'team-a', rules: rules.map((each) => rule(each)) });

type Status = { readonly message: string; readonly [field: string]: unknown };
const read = async (response: Response) => ({ code: response.status, body: (await response.json()) as Status });

describe('a refused request', () => {
  it.each([
    [
      'GET',
      `${JOBS}/x`,
      'jobs.batch "x" is forbidden: User "jane" cannot get resource "jobs" in API group "batch" in the namespace "team-a"',
      { name: 'x', group: 'batch', kind: 'jobs' },
    ],
    [
      'GET',
      '/api/v1/pods?watch=true',
      'pods is forbidden: User "jane" cannot watch resource "pods" in API group "" at the cluster scope',
      { kind: 'pods' },
    ],
    [
      'GET',
      '/api/v1/namespaces/team-a/pods/p/log',
      'pods "p" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "team-a"',
      { name: 'p', kind: 'pods' },
    ],
    [
      'POST',
      '/muster/v1/namespaces/team-a/jobs/x/indexes',
      'jobs.batch "x" is forbidden: User "jane" cannot update resource "jobs/indexes" in API group "batch" in the namespace "team-a"',
      { name: 'x', group: 'batch', kind: 'jobs' },
    ],
    ['GET', '/version', 'forbidden: User "jane" cannot get path "/version"', {}],
    ['GET', '/nonsense', 'forbidden: User "jane" cannot get path "/nonsense"', {}],
  ])('%s %s is answered as Kubernetes answers it', async (method, path, message, details) => {
    const world = await aGuardedWorld(NOTHING);
    expect(await read(await world.send(method, path))).toEqual({
      code: 403,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'Forbidden',
        details,
        code: 403,
      },
    });
  });

  it('names a role that is missing', async () => {
    const policy = grants({ user: 'jane', namespace: 'team-a', rules: [] });
    const world = await aGuardedWorld({ ...policy, roles: new Map() });
    expect((await read(await world.send('GET', JOBS))).body.message).toMatch(
      /in the namespace "team-a": RBAC: role\.rbac\.authorization\.k8s\.io "role-0" not found$/,
    );
  });

  it('reads nothing, not even its body', async () => {
    const world = await aGuardedWorld(NOTHING);
    for (const [method, path] of [
      ['GET', `${JOBS}/x`],
      ['POST', JOBS],
      ['PUT', `${JOBS}/x`],
      ['PATCH', `${JOBS}/x`],
      ['DELETE', JOBS],
      ['GET', '/api/v1/namespaces/team-a/pods/x/log'],
      ['GET', '/muster/v1/namespaces/team-a/jobs/x/progress'],
    ] as const) {
      const request = new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { 'x-user': 'jane' },
        ...(method === 'GET' ? {} : { body: 'not JSON' }),
      });
      expect((await world.app.request(request)).status).toBe(403);
      expect(request.bodyUsed).toBe(false);
    }
  });

  it('is refused if the policy cannot be read', async () => {
    const world = await aGuardedWorld(jane('* */*'));
    world.breakPolicy(new Error('the table is not there'));
    expect((await world.send('GET', JOBS)).status).toBe(500);
    world.breakPolicy(null);
    expect((await world.send('GET', JOBS)).status).toBe(200);
  });
});

describe('a request', () => {
  it('may do what a role says, and no more', async () => {
    const world = await aGuardedWorld(jane('get,create batch/jobs'));
    expect((await world.send('POST', JOBS, { body: manifest('x') })).status).toBe(201);
    expect((await world.send('GET', `${JOBS}/x`)).status).toBe(200);
    for (const [method, path] of [
      ['GET', JOBS],
      ['GET', `${JOBS}/x/status`],
      ['DELETE', `${JOBS}/x`],
      ['DELETE', JOBS],
      ['PATCH', `${JOBS}/x`],
      ['GET', JOBS.replace('team-a', 'team-b')],
      ['GET', '/apis/batch/v1/jobs'],
      ['GET', '/apis/execution.furiko.io/v1alpha1/namespaces/team-a/jobs/x'],
      ['GET', '/muster/v1/namespaces/team-a/jobs/x/progress'],
    ] as const)
      expect((await world.send(method, path)).status, `${method} ${path}`).toBe(403);
  });

  it('may be limited to names, also in lists', async () => {
    const rules = [rule('get,list,watch batch/jobs', ['x'])];
    const world = await aGuardedWorld(grants({ user: 'jane', namespace: 'team-a', rules }), { streamMaxSec: 5 });
    for (const name of ['x', 'y']) await world.asMaster('POST', JOBS, manifest(name));
    expect((await world.send('GET', `${JOBS}/x`)).status).toBe(200);
    expect((await world.send('GET', `${JOBS}/y`)).status).toBe(403);
    expect((await world.send('GET', JOBS)).status).toBe(403);
    expect((await world.send('GET', `${JOBS}?fieldSelector=metadata.name%3Dy`)).status).toBe(403);
    const list = await (await world.send('GET', `${JOBS}?fieldSelector=metadata.name%3Dx`)).text();
    const watched = await (await world.send('GET', `${JOBS}?watch=1&fieldSelector=metadata.name%3Dx`)).text();
    for (const text of [list, watched]) {
      expect(text).toContain('"name":"x"');
      expect(text).not.toContain('"name":"y"');
    }
  });

  it('may do everything in the group system:masters', async () => {
    const world = await aGuardedWorld(NOTHING);
    expect((await world.asMaster('POST', JOBS, manifest('x'))).status).toBe(201);
    expect((await world.asMaster('GET', '/version')).status).toBe(200);
    expect((await world.asMaster('GET', '/nonsense')).status).toBe(404);
    expect((await world.asMaster('GET', `${JOBS}%2Fx`)).status).toBe(404);
  });

  it('is authorized as a dry run, too', async () => {
    const world = await aGuardedWorld(jane('get batch/jobs'));
    expect((await world.send('POST', `${JOBS}?dryRun=All`, { body: manifest('x') })).status).toBe(403);
  });

  it('reads the policy once, and nothing else of the store', async () => {
    const world = await aGuardedWorld(jane('get batch/jobs'));
    await world.send('GET', `${JOBS}/x`);
    expect(world.policyReads()).toBe(1);
  });
});

describe('server-side apply', () => {
  const sent = { body: JSON.stringify(manifest('x')), headers: APPLY };
  const url = `${JOBS}/x?fieldManager=me`;

  it('of what does not exist needs the right to create it', async () => {
    const world = await aGuardedWorld(jane('patch batch/jobs'));
    const refused = await read(await world.send('PATCH', url, sent));
    expect(refused).toMatchObject({ code: 403, body: { details: { name: 'x' } } });
    expect(refused.body.message).toContain('cannot create resource "jobs"');
    expect((await world.send('PATCH', `${url}&dryRun=All`, sent)).status).toBe(403);
    expect((await world.asMaster('GET', `${JOBS}/x`)).status).toBe(404);
    world.allow(jane('patch,create batch/jobs'));
    expect((await world.send('PATCH', url, sent)).status).toBe(201);
    world.allow(jane('patch batch/jobs'));
    expect((await world.send('PATCH', url, sent)).status).toBe(200);
  });

  it('of a namespace asks in that namespace', async () => {
    const document = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-c' } });
    const rules = [rule('patch,create namespaces')];
    const world = await aGuardedWorld(grants({ user: 'jane', namespace: 'team-c', rules }));
    const path = '/api/v1/namespaces/team-c?fieldManager=me';
    expect((await world.send('PATCH', path, { body: document, headers: APPLY })).status).toBe(201);
    expect((await world.send('POST', '/api/v1/namespaces', { body: document })).status).toBe(403);
  });
});

describe('a submission', () => {
  const PATH = '/muster/v1/submissions';
  const message = (namespace: string) => ({ namespace, manifest: manifest('x') });
  const submitted = async (policy: Policy) => {
    const sent: string[] = [];
    const submissions = {
      send: async (text: string) => {
        sent.push(text);
        return 'id';
      },
    };
    return { world: await aGuardedWorld(policy, {}, { submissions }), sent };
  };

  it('needs the right to create the Job where it makes it', async () => {
    const { world, sent } = await submitted(jane('create batch/jobs'));
    expect((await world.send('POST', PATH, { body: message('team-a') })).status).toBe(202);
    expect((await world.send('POST', PATH, { body: message('team-b') })).status).toBe(403);
    const placed = { manifest: { ...manifest('x'), metadata: { name: 'x', namespace: 'team-b' } } };
    expect((await world.send('POST', PATH, { body: placed })).status).toBe(403);
    expect((await world.send('POST', PATH, { body: '{}' })).status).toBe(400);
    expect(sent).toHaveLength(1);
  });

  it.runIf(isThere('CronJob'))('needs the right to read its template', async () => {
    const { world, sent } = await submitted(jane('create batch/jobs', 'get batch/cronjobs'));
    const jobTemplate = { spec: manifest('x').spec };
    await world.asMaster('POST', '/apis/batch/v1/namespaces/team-a/cronjobs', {
      metadata: { name: 'c' },
      spec: { schedule: '0 3 * * *', jobTemplate },
    });
    const from = (kind: string) => ({ from: { kind, name: 'c', namespace: 'team-a' } });
    expect((await world.send('POST', PATH, { body: from('CronJob') })).status).toBe(202);
    expect((await world.send('POST', PATH, { body: from('Job') })).status).toBe(403);
    expect(sent).toHaveLength(1);
  });

  it('in the name of S3, or of SNS, is decided by what it makes', async () => {
    const { world } = await submitted(jane('create batch/jobs'));
    const record = {
      eventSource: 'aws:s3',
      eventName: 'ObjectCreated:Put',
      s3: { bucket: { name: 'b' }, object: { key: 'k' } },
    };
    const wrapped = (text: object) => ({ Type: 'Notification', MessageId: 'm', Message: JSON.stringify(text) });
    expect((await world.send('POST', PATH, { body: { Records: [record] } })).status).toBe(403);
    expect((await world.send('POST', PATH, { body: wrapped(message('team-b')) })).status).toBe(403);
    expect((await world.send('POST', PATH, { body: wrapped(message('team-a')) })).status).toBe(202);
  });
});

describe('the option', () => {
  it('is off if nothing is said', async () => {
    const world = await aWorld({ authorizers: { RBAC: () => roleAuthorizer({ policy: async () => NOTHING }) } });
    expect((await world.get(JOBS)).status).toBe(200);
  });
});
