import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../../../cli/program/program.ts';
import { createSqsClient } from '../../../../adapters/aws/sqs/sqs-queues.ts';
import { environmentOf } from '../../../../../test/support/test-wiring.ts';
import { aShell } from '../../../../../test/cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import {
  PATIENCE_MS,
  TEST_MS,
  conditionsOf,
  eventually,
  indexed,
  shellJob,
} from '../../../../../test/e2e/kube-calls.ts';

const QUEUES = ['wake', 'facts', 'dispatch'] as const;

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({ wiring: 'emulateAws' }); // whose queues take any text
}, PATIENCE_MS);
afterAll(async () => local.close());

/** `muster <line>` as a user of this runtime runs it. */
async function muster(line: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const shell = aShell({ cwd: local.root, now: () => Date.now() });
  const code = await runCommandLine(['--kubeconfig', local.runtime.kubeconfig, ...line.split(' ')], shell.shell);
  return { code, out: shell.out(), err: shell.err() };
}

type Shown = {
  readonly healthy: boolean;
  readonly findings: readonly {
    readonly kind: string;
    readonly severity: string;
    readonly what: string;
    readonly subject: string;
  }[];
  readonly deadLetters?: readonly { readonly queue: string; readonly job: string | null; readonly body: string }[];
};
const examined = async (line: string): Promise<Shown> => JSON.parse((await muster(`${line} -o json`)).out) as Shown;

function aClient() {
  const { region, endpoints, accessKey, queues } = environmentOf(local.runtime);
  const client = createSqsClient({ region, endpoint: endpoints.sqs, accessKey: accessKey! });
  return { client, queues };
}

/** Each task waits for a file in the workspace. */
const HELD = 'while [ ! -e go ]; do sleep 0.2; done; echo done';

test('a poison message on each queue is in the Events of its Job, shown by the doctor, and holds nothing up', {
  timeout: TEST_MS,
}, async () => {
  const { kube, workspaceDir } = local;
  const { client, queues } = aClient();
  try {
    const uid = await kube.create(shellJob('held', HELD, indexed(3, 3)));
    await kube.until('held', ({ status }) => status.active === 3);
    const poison = (queue: string): string => JSON.stringify({ v: 1, uid, kind: 'explode', of: queue });
    for (const queue of QUEUES)
      await client.send(new SendMessageCommand({ QueueUrl: queues[queue], MessageBody: poison(queue) }));

    let events = '';
    await eventually(
      async () => {
        events = (await kube.ask('GET', '/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DJob'))
          .text;
        return QUEUES.every((queue) =>
          events.includes(`A message of the ${queue} queue was moved to the dead-letter queue: `),
        )
          ? true
          : null;
      },
      () => `the Job's Events are ${events}`,
    );
    expect(events).toContain('"reason":"MessageDeadLettered"');

    const job = await examined('doctor held');
    const told = job.findings.filter(({ kind }) => kind === 'DeadLetters');
    expect(told.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning']);
    expect(job.findings.find(({ kind }) => kind === 'Active')?.what).toMatch(/^active attempts: 3 /);
    // What takes a moment to settle is no error.
    expect(job.findings.filter(({ severity }) => severity === 'error')).toEqual([]);

    const all = await examined('doctor -A');
    expect(all.deadLetters?.map(({ queue, body }) => `${queue} ${body}`).toSorted()).toEqual(
      QUEUES.map((queue) => `${queue} ${poison(queue)}`).toSorted(),
    );
    expect(all.deadLetters?.every((letter) => letter.job === uid)).toBe(true);
    expect(all.findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(
      expect.arrayContaining([
        'Active job/default/held',
        'DeadLetters job/default/held',
        ...QUEUES.map((queue) => `DeadLetters queue/${queue}`),
      ]),
    );
    const text = await muster('doctor held');
    expect(text).toMatchObject({ code: 0, err: '' });
    expect(text.out).toMatch(/^job\/default\/held\n/);

    writeFileSync(join(workspaceDir, 'go'), '');
    expect(conditionsOf(await kube.ended('held'))).toEqual(['SuccessCriteriaMet', 'Complete']);
  } finally {
    client.destroy();
  }
});

test('when every message of a Job is lost it ends all the same, and the doctor then finds nothing', {
  timeout: TEST_MS,
}, async () => {
  const { kube } = local;
  const { client, queues } = aClient();
  try {
    await kube.create(shellJob('lost', 'sleep 1; echo done', indexed(6, 3)));
    for (let nth = 0; nth < 20; nth++)
      for (const queue of QUEUES) await client.send(new PurgeQueueCommand({ QueueUrl: queues[queue] }));
    const looked = await muster('doctor lost');
    expect(looked.err).toBe('');
    expect(conditionsOf(await kube.ended('lost'))).toEqual(['SuccessCriteriaMet', 'Complete']);
    let said = '';
    await eventually(
      async () => {
        const { code, out } = await muster('doctor lost');
        said = out;
        return code === 0 && out === 'healthy\n' ? true : null;
      },
      () => said,
    );
    await kube.remove('lost');
    expect(await muster('doctor lost')).toMatchObject({ code: 1, err: expect.stringContaining('NotFound') as string });
  } finally {
    client.destroy();
  }
});
