import { PutEventsRequest$, type PutEventsRequestEntry, PutEventsResponse$ } from '@aws-sdk/client-eventbridge';
import {
  SendTaskFailureInput$,
  SendTaskFailureOutput$,
  SendTaskSuccessInput$,
  SendTaskSuccessOutput$,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { AwsError } from '../../../../../local/wire/aws-error.ts';
import { serveAwsJson } from '../../../../../local/wire/aws-json.ts';
import { listenOnLoopback } from '../../../../../local/wire/loopback-server.ts';
import { announceToAll } from '../../adapters/announce-to-all.ts';
import { createMemoryAnnouncer } from '../memory-announcer.ts';
import { createEventBridgeAnnouncer, createEventBridgeClient } from '../../adapters/eventbridge-announcer.ts';
import { createSfnAnnouncer } from '../../adapters/sfn-announcer.ts';
import { createSfnAnswers } from '../../answers/sfn-answers.ts';
import { createSfnClient } from '../../adapters/sfn-client.ts';
import type { Announcement } from '../../domain/announcement.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { anAnnouncement } from '../an-announcement.ts';
import type { JobState } from '../../../../domain/scoreboard/status.ts';
import { openAnnouncer } from '../../adapters/open-announcer.ts';
import { openTaskAnswers } from '../../answers/open-task-answers.ts';
import { musterTemplate } from '../../../../../test/cdk/template.ts';
import { checkWire, noteSeen } from '../../../../../test/models/wire-check.ts';
import { type NeededRight, missingTypes } from '../../../../../test/rights/needed-rights.ts';
import { type FunctionName, allowing, statementsOf } from '../../../../../test/rights/statements.ts';
import { onAskedRights } from '../../../../../test/rights/asked-rights.ts';

// The SDK's own requests, over HTTP, to a server that checks what EventBridge and Step Functions check.

const EVENT_BYTES_MAX = 256 * 1024;
const OPEN = 'token-of-a-task-that-waits';
const calls: (readonly PutEventsRequestEntry[])[] = [];
const answers: { readonly kind: 'success' | 'failure'; readonly [member: string]: unknown }[] = [];
/** What the bus does not take: by the `name` of its Job. */
let refused: ReadonlySet<string> = new Set();
let isDown = false;
let waiting: Set<string>;
const warnings: string[] = [];

function putEvents({ Entries = [] }: { readonly Entries?: readonly PutEventsRequestEntry[] }) {
  if (isDown) throw new AwsError('InternalException', 'down', { status: 500 });
  calls.push(Entries);
  const bytes = Entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
  if (Entries.length < 1 || Entries.length > 10) throw new AwsError('ValidationException', 'up to ten entries');
  if (bytes > EVENT_BYTES_MAX)
    throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  const answered = Entries.map(({ Detail = '' }, nth) => {
    const { name } = JSON.parse(Detail) as { readonly name: string };
    return refused.has(name)
      ? { ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' }
      : { EventId: `e${nth}` };
  });
  return { FailedEntryCount: answered.filter((each) => 'ErrorCode' in each).length, Entries: answered };
}

const bytesOf = ({ Time, Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number =>
  (Time === undefined ? 0 : 14) + Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail);

function answerTask(
  kind: 'success' | 'failure',
  input: { readonly taskToken?: string; readonly output?: string },
): object {
  const { taskToken = '' } = input;
  if (taskToken.length > 2_048)
    throw new AwsError('ValidationException', `Value '${taskToken}' failed to satisfy constraint`);
  if (!taskToken.startsWith('token')) throw new AwsError('InvalidToken', 'Invalid token');
  if (!waiting.delete(taskToken))
    throw new AwsError('TaskTimedOut', 'Task Timed Out: the provided task does not exist anymore');
  if (kind === 'success') JSON.parse(input.output ?? '');
  answers.push({ kind, ...input });
  return {};
}

const front = await listenOnLoopback(
  serveAwsJson([
    {
      targetPrefix: 'AWSEvents',
      jsonVersion: '1.1',
      operations: {
        PutEvents: {
          request: PutEventsRequest$,
          response: PutEventsResponse$,
          handle: (input) => putEvents(input as object),
        },
      },
    },
    {
      targetPrefix: 'AWSStepFunctions',
      jsonVersion: '1.0',
      operations: {
        SendTaskSuccess: {
          request: SendTaskSuccessInput$,
          response: SendTaskSuccessOutput$,
          handle: (input) => answerTask('success', input as object),
        },
        SendTaskFailure: {
          request: SendTaskFailureInput$,
          response: SendTaskFailureOutput$,
          handle: (input) => answerTask('failure', input as object),
        },
      },
    },
  ]),
);

const placesOf = ({ taskTokens }: { readonly taskTokens: boolean }) => ({
  announcements: { eventBus: 'jobs', taskTokens, endpoint: front.url },
  parameters: null,
  secrets: null,
});
const connection = { region: 'us-east-1', endpoint: front.url };
const [bridge, steps] = [createEventBridgeClient(connection), createSfnClient(connection)];
const faults: string[] = [];
for (const each of [bridge, steps]) checkWire(each, 'both', (fault) => faults.push(fault));
const warn = (message: string, values: object): void => void warnings.push(`${message} ${JSON.stringify(values)}`);
let now = asEpochMs(1_800_000_000_000);

afterAll(async () => {
  bridge.destroy();
  steps.destroy();
  await front.close();
  noteSeen();
  // A token that is too long is among what is refused.
  const unexpected = faults.filter((fault) => !fault.includes('taskToken: '));
  if (unexpected.length > 0) throw new Error(`not as AWS has it:\n${unexpected.join('\n')}`);
});

beforeEach(() => {
  for (const list of [calls, answers, warnings]) list.length = 0;
  refused = new Set();
  isDown = false;
  waiting = new Set([OPEN]);
  now = asEpochMs(now + 3_600_000);
});

const aChange = (
  state: JobState,
  more: Partial<Announcement['detail']> = {},
  taskToken: string | null = null,
): Announcement => anAnnouncement({ state, ...more }, taskToken);

describe('EventBridge', () => {
  const announcer = () => createEventBridgeAnnouncer({ client: bridge, bus: 'jobs', now: () => now, warn });

  test('gets an entry that rules can match, without the task token', async () => {
    const change = aChange('Failed', {}, OPEN);
    expect(await announcer().announce([change])).toEqual(new Set([change.id]));
    expect(calls).toEqual([
      [
        {
          EventBusName: 'jobs',
          Source: 'muster',
          DetailType: 'Muster Job State Change',
          Time: new Date('2027-01-15T08:00:00Z'),
          Detail: JSON.stringify(change.detail),
        },
      ],
    ]);
    expect(JSON.stringify(calls)).not.toContain(OPEN);
  });

  test('gets ten entries and 256 KB a call at most', async () => {
    const many = Array.from({ length: 23 }, (_, nth) => aChange('Suspended', { version: nth + 1 }));
    expect((await announcer().announce(many)).size).toBe(23);
    expect(sizesOf(calls)).toEqual([10, 10, 3]);
    calls.length = 0;
    const large = Array.from({ length: 10 }, (_, nth) =>
      aChange('Failed', { version: nth + 1, message: 'ü'.repeat(40_000) }),
    );
    expect((await announcer().announce(large)).size).toBe(10);
    expect(sizesOf(calls)).toEqual([3, 3, 3, 1]);
  });

  /** Of calls; one that a client repeats because its answer was late counts once. */
  const sizesOf = (made: readonly (readonly unknown[])[]): readonly number[] => [
    ...new Map(made.map((call) => [JSON.stringify(call), call.length])).values(),
  ];

  test('takes each entry by itself', async () => {
    refused = new Set(['other']);
    const changes = [
      aChange('Started', { version: 1 }),
      aChange('Failed', { version: 2, name: 'other' }),
      aChange('Deleted', { version: 3 }),
    ];
    expect(await announcer().announce(changes)).toEqual(new Set(['uid-1/1', 'uid-1/3']));
    expect(warnings).toEqual([expect.stringContaining('"ErrorCode":"ThrottlingException"')]);
  });

  test('that is down is left alone for some seconds, so that no batch waits for each of its Jobs', async () => {
    isDown = true;
    const own = announcer();
    await expect(own.announce([aChange('Started')])).rejects.toThrow('down');
    isDown = false;
    expect(await own.announce([aChange('Started')])).toEqual(new Set());
    expect(calls).toEqual([]);
    now = asEpochMs(now + 10_000);
    expect((await own.announce([aChange('Started')])).size).toBe(1);
  });
});

describe('Step Functions', () => {
  const announcer = createSfnAnnouncer({ client: steps, warn });

  test('gets the detail as output when the Job completes', async () => {
    const change = aChange('Completed', { reason: 'CompletionsReached' }, OPEN);
    expect(await announcer.announce([aChange('Started', { version: 2 }, OPEN), change])).toEqual(
      new Set(['uid-1/2', change.id]),
    );
    expect(answers).toEqual([{ kind: 'success', taskToken: OPEN, output: JSON.stringify(change.detail) }]);
  });

  test('gets reason and message when it fails', async () => {
    await announcer.announce([aChange('Failed', { reason: 'FailedIndexes', message: 'Job has failed indexes' }, OPEN)]);
    expect(answers).toEqual([
      { kind: 'failure', taskToken: OPEN, error: 'FailedIndexes', cause: 'Job has failed indexes' },
    ]);
  });

  test('hears of a deletion only where no end came before', async () => {
    await announcer.announce([aChange('Deleted', { reason: 'CompletionsReached' }, OPEN)]);
    expect(answers).toEqual([]);
    await announcer.announce([aChange('Deleted', {}, OPEN)]);
    expect(answers).toEqual([{ kind: 'failure', taskToken: OPEN, error: 'Deleted', cause: 'The Job was deleted' }]);
  });

  test('a second answer, one that comes too late, and a token that is none are taken: nobody waits', async () => {
    const change = aChange('Completed', {}, OPEN);
    for (let n = 0; n < 2; n++) expect((await announcer.announce([change])).size).toBe(1);
    expect((await announcer.announce([aChange('Failed', {}, 'no-token')])).size).toBe(1);
    expect(answers).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  test('what it refuses otherwise comes again, and no warning has the token', async () => {
    const token = `token${'x'.repeat(3_000)}`;
    expect((await announcer.announce([aChange('Completed', {}, token)])).size).toBe(0);
    expect(warnings).toEqual([expect.stringContaining('"error":"ValidationException"')]);
    expect(warnings.join()).not.toContain('xxx');
  });
});

describe('a task whose Job is not made', () => {
  const FAILURE = { error: 'NotFound', cause: 'cronjobs.batch "resize" not found' };
  const tasks = createSfnAnswers(steps);

  test('fails once; a second answer, and one that comes too late, reach nobody; a token that is none is said', async () => {
    expect(await tasks.fail(OPEN, FAILURE)).toBe('answered');
    expect(answers).toEqual([{ kind: 'failure', taskToken: OPEN, ...FAILURE }]);
    for (const token of [OPEN, 'token-of-nobody']) expect(await tasks.fail(token, FAILURE)).toBe('nobody');
    expect(await tasks.fail('no-token', FAILURE)).toBe('noToken');
  });

  test('what Step Functions refuses otherwise is an error, without the token', async () => {
    const failed = tasks.fail(`token${'x'.repeat(3_000)}`, FAILURE);
    await expect(failed).rejects.toThrow(/^Step Functions says ValidationException$/);
    await expect(failed).rejects.not.toHaveProperty('cause');
  });

  test('is answered only where tokens are on', () => {
    const here = { at: (endpoint: string | null) => ({ region: 'us-east-1', endpoint }), telemetry: { warn } };
    const opened = [true, false].map((taskTokens) =>
      openTaskAnswers(placesOf({ taskTokens }), { ...here, onClient: undefined }),
    );
    expect(opened.map(({ ports }) => Object.keys(ports))).toEqual([['taskAnswers'], []]);
    for (const { close } of opened) close();
  });
});

test('of several, all must take a change; one that throws keeps none of the others', async () => {
  const heard: string[] = [];
  const one = createMemoryAnnouncer(({ version }) => version !== 2);
  const other = createMemoryAnnouncer(({ id }) => heard.push(id) > 0);
  const changes = [1, 2, 3].map((version) => aChange('Suspended', { version }));
  expect(await announceToAll([one, other]).announce(changes)).toEqual(new Set(['uid-1/1', 'uid-1/3']));
  const broken = { announce: async () => Promise.reject(new Error('broken')) };
  await expect(announceToAll([broken, other]).announce(changes)).rejects.toThrow('broken');
  expect(heard).toHaveLength(6);
});

describe('rights', () => {
  const on = musterTemplate({ eventBus: 'jobs', taskTokens: 'true', submissions: 'true' });
  const ANNOUNCING = /^(events|states):/;

  test('reconcile may announce, submit may answer what it refuses, and no other function may; without a setting, none', () => {
    const actionsOf = (template: typeof on, name: FunctionName) =>
      template
        .rightsOf(name)
        .flatMap(({ actions }) => actions)
        .filter((action) => ANNOUNCING.test(action));
    expect(actionsOf(on, 'reconcile').toSorted()).toEqual([
      'events:PutEvents',
      'states:SendTaskFailure',
      'states:SendTaskSuccess',
    ]);
    for (const name of ['api', 'dispatch', 'sweep'] as const) expect(actionsOf(on, name)).toEqual([]);
    expect(actionsOf(on, 'submit')).toEqual(['states:SendTaskFailure']);
    expect(actionsOf(musterTemplate(), 'reconcile')).toEqual([]);
    const submissions = 'true';
    expect(actionsOf(musterTemplate({ eventBus: 'jobs', submissions }), 'submit')).toEqual([]);
  });

  test('what the clients send is allowed by the template, and all that is allowed is sent', async () => {
    const statements = statementsOf(on, new Map());
    const asked: NeededRight[] = [];
    const opened = openAnnouncer(placesOf({ taskTokens: true }), {
      at: (endpoint) => ({ region: 'us-east-1', endpoint }),
      telemetry: { warn },
      onClient: (client) => onAskedRights(client, (rights) => void asked.push(...rights)),
    });
    waiting.add('token-2');
    const changes = [aChange('Completed', { version: 1 }, OPEN), aChange('Failed', { version: 2 }, 'token-2')];
    expect((await opened.ports.announcer?.announce(changes))?.size).toBe(2);
    opened.close();
    for (const right of asked) {
      expect(await missingTypes(right)).toEqual([]);
      expect([right, allowing(statements.reconcile, right) !== null]).toEqual([right, true]);
    }
    expect(new Set(asked.map(({ action }) => action)).size).toBe(3);
    expect([calls.length, answers.length]).toEqual([1, 2]);
  });

  test('all functions know whether changes are listed', () => {
    for (const { Properties } of on.functions.values())
      expect(JSON.stringify(Properties)).toContain('"MUSTER_EVENT_BUS":"jobs"');
    for (const { Properties } of musterTemplate().functions.values())
      expect(JSON.stringify(Properties)).not.toMatch(/MUSTER_EVENT_BUS|MUSTER_TASK_TOKENS/);
  });
});
