import { describe, expect, test } from 'vitest';
import { aGuardedWorld, grants, rule } from '../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { EXEC, OPTIONS, WEBSOCKET, ask, commitJob } from '../../shared/capabilities/sessions/test/kube/a-busy-world.ts';
import type { AuditEvent } from '../../shared/ports/callers/audit.ts';
import { JOBS, PODS, manifest } from '../kube/a-world.ts';

describe('the right to a session', () => {
  const granted = (verbs: string) =>
    grants({ user: 'jane', namespace: 'default', rules: [rule('list,get pods'), rule(`${verbs} pods/exec`)] });

  async function aGuarded(verbs: string) {
    const events: AuditEvent[] = [];
    const audit = { record: (event: AuditEvent) => void events.push(event) };
    const world = await aGuardedWorld(granted(verbs), OPTIONS, { audit }, ['default']);
    await world.asMaster('POST', JOBS, manifest('sums', { parallelism: 3 }));
    await commitJob(world);
    const pods = (await (await world.asMaster('GET', PODS)).json()) as { items: { metadata: { name: string } }[] };
    return { world, events, pod: pods.items[0]?.metadata.name ?? '' };
  }

  const asJane = { ...WEBSOCKET, 'x-user': 'jane' };

  test('is that to create it, though a WebSocket begins with GET', async () => {
    const { world, pod } = await aGuarded('get');
    expect(await ask(world, `${pod}/${EXEC}`, { headers: asJane })).toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "pods/exec"') as unknown,
    });
  });

  test('is asked about again while the session goes on, and its beginning is in the audit log, without the command', async () => {
    const { world, events, pod } = await aGuarded('get,create');
    const { plan } = await ask(world, `${pod}/${EXEC}`, { headers: asJane });
    expect(await plan?.mayGoOn()).toBe(true);
    expect(events.at(-1)).toMatchObject({
      user: { username: 'jane' },
      objectRef: { resource: 'pods', subresource: 'exec', name: pod },
      requestURI: `${PODS}/${pod}/exec?command=&command=&stdout=true&stderr=true`,
      responseStatus: { code: 101 },
    });
    world.allow(granted('get'));
    expect(await plan?.mayGoOn()).toBe(false);
  });
});
