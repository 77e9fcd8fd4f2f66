import { CreateEventBusCommand, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
  createEventBridgeAnnouncer,
  createEventBridgeClient,
} from '../../shared/capabilities/announcements/adapters/eventbridge-announcer.ts';
import { createSqsClient } from '../../shared/adapters/aws/sqs/sqs-queues.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { envelopeFaults } from '../models/event-faults.ts';
import { describeEngine, type EngineCase } from './describe-engine.ts';
import { REGION, asSigned } from './engine-client.ts';
import { anAnnouncement } from '../../shared/capabilities/announcements/test/an-announcement.ts';

// A rule of EventBridge matches what the announcer has put on a bus, and a queue gets it.

const PATIENCE_SEC = 20;

/** Announces a Job's success and another's failure on a bus whose rule sends failures to a queue; what the queue got. */
async function eventsOfFailures(endpoint: string): Promise<readonly { readonly detail: object }[]> {
  const bridge = asSigned(createEventBridgeClient({ region: REGION, endpoint }), 'events');
  const sqs = asSigned(createSqsClient({ region: REGION, endpoint }), 'sqs');
  const name = `jobs-${randomUUID()}`;
  try {
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
    await bridge.send(new CreateEventBusCommand({ Name: name }));
    const pattern = {
      source: ['muster'],
      'detail-type': ['Muster Job State Change'],
      detail: { state: ['Failed'], namespace: ['default'] },
    };
    const rule = { Name: name, EventBusName: name, EventPattern: JSON.stringify(pattern) };
    await bridge.send(new PutRuleCommand(rule));
    const [, account = ''] = new URL(QueueUrl).pathname.split('/');
    const Targets = [{ Id: '1', Arn: `arn:aws:sqs:${REGION}:${account}:${name}` }];
    await bridge.send(new PutTargetsCommand({ Rule: name, EventBusName: name, Targets }));
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const announcer = createEventBridgeAnnouncer({ client: bridge, bus: name, now: () => systemClock.now(), warn });
    expect(await announcer.announce(CHANGES)).toEqual(new Set(CHANGES.map(({ id }) => id)));
    expect(warnings).toEqual([]);
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: PATIENCE_SEC, MaxNumberOfMessages: 10 }),
    );
    return Messages.map(({ Body = '' }) => JSON.parse(Body) as { readonly detail: object });
  } finally {
    bridge.destroy();
    sqs.destroy();
  }
}

const CHANGES = [anAnnouncement({ version: 1, state: 'Completed' }), anAnnouncement({ version: 2, state: 'Failed' })];

const CASES: readonly EngineCase[] = [
  {
    name: 'a rule finds changes by state and namespace, and its queue gets them whole',
    async run(endpoint) {
      const events = await eventsOfFailures(endpoint);
      expect(events).toMatchObject([{ source: 'muster', 'detail-type': 'Muster Job State Change' }]);
      expect(events.map(({ detail }) => detail)).toEqual([CHANGES[1]?.detail]);
    },
  },
  {
    name: 'a change is an event with all that events have, of the time when the Job changed',
    async run(endpoint) {
      const events = await eventsOfFailures(endpoint);
      expect(events.flatMap(envelopeFaults)).toEqual([]);
      expect(events.map((event) => (event as { readonly time?: unknown }).time)).toEqual(['2027-01-15T08:00:00Z']);
    },
  },
];

for (const engine of ['moto', 'ministack'] as const) describeEngine('announcements', engine, CASES);
