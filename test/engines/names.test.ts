import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreatePrivateDnsNamespaceCommand,
  ListNamespacesCommand,
  type ServiceDiscoveryClient,
} from '@aws-sdk/client-servicediscovery';
import { expect } from 'vitest';
import { createCloudmap as createEmbeddedCloudmap } from '../../local/cloudmap/create-cloudmap.ts';
import { createCloudmap } from '../../shared/capabilities/hostnames/adapters/cloudmap.ts';
import { createCloudmapClient, sdkCloudmapCalls } from '../../shared/adapters/aws/cloudmap/sdk-cloudmap-calls.ts';
import type { Hostnames } from '../../shared/capabilities/hostnames/ports/hostnames.ts';
import { describeEngine, type EngineCase } from './describe-engine.ts';
import { REGION, asSigned } from './engine-client.ts';

// What dispatch and the sweep rely on in Cloud Map.

const TASK = 'f'.repeat(32);
const OTHER_TASK = 'e'.repeat(32);

const CASES: readonly { readonly name: string; run(names: Hostnames): Promise<void> }[] = [
  {
    name: 'a name is made once, and found by who makes it again',
    async run(names) {
      const name = aName();
      const first = await names.ensureService(name);
      expect(first).toMatchObject({ kind: 'ready' });
      expect(await names.ensureService(name)).toEqual(first);
    },
  },
  {
    name: 'a task is registered under a name until it is deregistered, however often either is asked for',
    async run(names) {
      const serviceId = await made(names);
      for (let n = 0; n < 2; n++) expect(await names.register(serviceId, TASK, '10.0.1.7')).toEqual({ kind: 'done' });
      expect(await names.register(serviceId, OTHER_TASK, '10.0.1.8')).toEqual({ kind: 'done' });
      const listed = await names.tasksIn(serviceId);
      expect(listed.kind === 'listed' ? new Set(listed.taskIds) : listed).toEqual(new Set([TASK, OTHER_TASK]));
      for (let n = 0; n < 2; n++) expect(await names.deregister(serviceId, TASK)).toEqual({ kind: 'done' });
      expect(await names.tasksIn(serviceId)).toEqual({ kind: 'listed', taskIds: [OTHER_TASK] });
    },
  },
  {
    name: 'a name with a task is not removed; one without is, and may be gone already',
    async run(names) {
      const serviceId = await made(names);
      await names.register(serviceId, TASK, '10.0.1.7');
      expect(await names.deleteService(serviceId)).toMatchObject({ kind: 'later' });
      await names.deregister(serviceId, TASK);
      for (let n = 0; n < 2; n++) expect(await names.deleteService(serviceId)).toEqual({ kind: 'done' });
    },
  },
  {
    name: 'nothing can be registered under a name that is gone, and nothing is there',
    async run(names) {
      const serviceId = await made(names);
      await names.deleteService(serviceId);
      expect(await names.register(serviceId, TASK, '10.0.1.7')).toEqual({ kind: 'gone' });
      expect(await names.deregister(serviceId, TASK)).toEqual({ kind: 'done' });
      expect(await names.tasksIn(serviceId)).toEqual({ kind: 'listed', taskIds: [] });
    },
  },
  {
    name: 'all names are listed once, page by page',
    async run(names) {
      const ids = await Promise.all(Array.from({ length: 105 }, async () => made(names)));
      const listed: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<Hostnames['list']>> = await names.list(after);
        if (page.kind !== 'listed') throw new Error(page.reason);
        expect(page.services.length).toBeLessThanOrEqual(100);
        listed.push(...page.services.map(({ serviceId }) => serviceId));
        after = page.next;
      } while (after !== null);
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed).toEqual(expect.arrayContaining(ids));
    },
  },
  {
    name: 'a task without an address is no task to register',
    async run(names) {
      expect(await names.register(await made(names), TASK, 'nowhere')).toMatchObject({ kind: 'fatal' });
    },
  },
];

const aName = (): string => `job-0.${randomUUID().slice(0, 8)}.default`;

async function made(names: Hostnames): Promise<string> {
  const service = await names.ensureService(aName());
  if (service.kind !== 'ready') throw new Error(service.reason);
  return service.serviceId;
}

const ZONE = 'muster.internal';

/** The id of the zone's namespace, which is made unless it is there. */
async function namespaceAt(client: ServiceDiscoveryClient): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const { Namespaces = [] } = await client.send(new ListNamespacesCommand({}));
    return Namespaces.find(({ Name }) => Name === ZONE)?.Id;
  };
  try {
    const known = await find();
    if (known !== undefined) return known;
    await client.send(new CreatePrivateDnsNamespaceCommand({ Name: ZONE, Vpc: 'vpc-0a1b2c3d' }));
    return (await find()) ?? '';
  } catch (error) {
    // The embedded Cloud Map has a namespace from the start, always with the same id, and lists none.
    if (!(error instanceof Error && error.name === 'UnknownOperationException')) throw error;
    const embedded = createEmbeddedCloudmap({ zone: ZONE, dataDir: null });
    embedded.close();
    return embedded.namespaceId;
  }
}

const cases: readonly EngineCase[] = CASES.map((each) => ({
  name: each.name,
  async run(endpoint) {
    const client = asSigned(createCloudmapClient({ region: REGION, endpoint }), 'servicediscovery');
    try {
      const namespaceId = await namespaceAt(client);
      await each.run(
        createCloudmap({
          calls: sdkCloudmapCalls(client),
          namespaceId,
          zone: ZONE,
          sleep: async (ms) => sleep(ms),
        }),
      );
    } finally {
      client.destroy();
    }
  },
}));

for (const engine of ['embedded', 'moto', 'ministack'] as const) describeEngine('names', engine, cases);
