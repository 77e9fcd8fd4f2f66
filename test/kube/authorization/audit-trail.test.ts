import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../shared/ports/callers/audit.ts';
import type { ApiOptions } from '../../../shared/kube/http/api-deps.ts';
import { aWorld, manifest } from '../a-world.ts';
import { aGuardedWorld, grants, rule } from '../../../shared/capabilities/access/test/kube/a-guarded-world.ts';

const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';
const ALLOWED = grants({
  user: 'jane',
  namespace: 'team-a',
  rules: [rule('get,list,create,patch,delete,deletecollection batch/jobs')],
});

async function audited(options: ApiOptions = {}) {
  const events: AuditEvent[] = [];
  const audit = { record: (event: AuditEvent) => void events.push(event) };
  const world = await aGuardedWorld(ALLOWED, options, { audit });
  return { ...world, events };
}

describe('an audit event', () => {
  it('says who has created what, and what decided', async () => {
    const { send, events } = await audited({
      originOf: () => ({ requestId: 'request-1', sourceIPs: ['192.0.2.1'] }),
    });
    await send('POST', `${JOBS}?fieldManager=me`, { body: manifest('x') });
    expect(events).toEqual([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: 'request-1',
        stage: 'ResponseComplete',
        requestURI: `${JOBS}?fieldManager=me`,
        verb: 'create',
        user: { username: 'jane', groups: ['system:authenticated'] },
        sourceIPs: ['192.0.2.1'],
        objectRef: { resource: 'jobs', namespace: 'team-a', name: 'x', apiGroup: 'batch' },
        responseStatus: { code: 201 },
        requestReceivedTimestamp: '2023-11-14T22:13:20Z',
        stageTimestamp: '2023-11-14T22:13:20Z',
        annotations: {
          'authorization.k8s.io/decision': 'allow',
          'authorization.k8s.io/reason':
            'RBAC: allowed by RoleBinding "binding-0/team-a" of Role "role-0" to User "jane"',
        },
      },
    ]);
  });

  it('names an object whose name was generated', async () => {
    const { send, events } = await audited();
    const document = { ...manifest(''), metadata: { generateName: 'gen-' } };
    await send('POST', JOBS, { body: document });
    expect(events[0]?.objectRef?.name).toMatch(/^gen-[a-z0-9]{5}$/);
    expect(events[0]?.auditID).not.toBe('');
  });

  it('is written for every change, and for what is forbidden, and for nothing else', async () => {
    const { send, events } = await audited();
    const told = async (method: string, path: string, body?: unknown) => {
      events.length = 0;
      await (await send(method, path, body === undefined ? {} : { body })).text();
      return events.map(({ verb, objectRef, responseStatus, annotations }) =>
        [verb, objectRef?.resource, responseStatus.code, annotations['authorization.k8s.io/decision']].join(' '),
      );
    };
    expect(await told('POST', JOBS, manifest('x'))).toEqual(['create jobs 201 allow']);
    expect(await told('POST', JOBS, manifest('x'))).toEqual(['create jobs 409 allow']);
    expect(await told('GET', JOBS)).toEqual([]);
    expect(await told('GET', `${JOBS}/none`)).toEqual([]);
    expect(await told('GET', `${JOBS}/x/status`)).toEqual(['get jobs 403 forbid']);
    expect(await told('GET', '/version')).toEqual(['get  403 forbid']);
    expect(await told('PUT', `${JOBS}/x`, {})).toEqual(['update jobs 403 forbid']);
    expect(await told('DELETE', `${JOBS}/x`)).toEqual(['delete jobs 200 allow']);
    expect(await told('DELETE', JOBS)).toEqual(['deletecollection jobs 200 allow']);
    expect(await told('POST', '/muster/v1/namespaces/team-a/jobs/x/indexes', {})).toEqual(['update jobs 403 forbid']);
    const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const ask = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(await told('POST', ask, review)).toEqual(['create selfsubjectaccessreviews 403 forbid']);
    events.length = 0;
    await send('POST', ask, { groups: 'system:masters', body: review });
    expect(events).toEqual([]);
  });

  it('has no body and no header in it', async () => {
    const { send, events } = await audited();
    await send('POST', JOBS, {
      body: manifest('x', {}, { secret: 'zq-body' }),
      headers: { authorization: 'zq-token' },
    });
    await send('PUT', `${JOBS}/x`, { body: 'zq-body', headers: { authorization: 'Bearer zq-token' } });
    expect(events).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('zq-');
  });

  it('is short, however long the request is', async () => {
    const { send, events } = await audited();
    await send('DELETE', `${JOBS}?labelSelector=${'a'.repeat(10_000)}`);
    expect(JSON.stringify(events).length).toBeLessThan(1500);
  });

  it('is written where every caller may do everything, too', async () => {
    const events: AuditEvent[] = [];
    const world = await aWorld({}, { audit: { record: (event) => void events.push(event) } });
    await world.post('/apis/batch/v1/namespaces/default/jobs', manifest('x'));
    expect(events).toMatchObject([
      { user: { username: 'authenticated' }, responseStatus: { code: 201 }, annotations: {} },
    ]);
  });
});
