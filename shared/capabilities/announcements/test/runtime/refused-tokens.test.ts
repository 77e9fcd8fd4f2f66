import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { contextOf } from '../../../../../local/event-source/mapping.ts';
import type { TaskFailure } from '../../domain/refusal-answer.ts';
import { freshNamespace } from '../../../../domain/manifests/namespace.ts';
import type { TaskAnswers } from '../../ports/announcer.ts';
import type { SubmissionRefusal } from '../../../../ports/dead-letters.ts';
import { submitHandler } from '../../../../runtime/submit-handler.ts';
import { aRuntime, anEvent, anInbox } from '../../../../../test/runtime/a-runtime.ts';

// The submit function, where a task of Step Functions waits for the Job of a message that makes none.

type Said = { readonly token: string } & TaskFailure;

/** @param tell what Step Functions does; null: task tokens are not answered here */
async function world(tell: ((token: string) => 'answered' | 'nobody' | 'noToken') | null = () => 'answered') {
  const said: Said[] = [];
  const letters: { readonly reason: string; readonly refusal: SubmissionRefusal | undefined }[] = [];
  const { inbox, retried } = anInbox();
  const deadLetter = async (_body: string, reason: string, refusal?: SubmissionRefusal) =>
    letters.push({ reason, refusal }) > 0;
  const made = aRuntime({ ...inbox, deadLetter });
  const taskAnswers: TaskAnswers = {
    async fail(token, failure) {
      const told = tell?.(token) ?? 'nobody';
      said.push({ token, ...failure });
      return told;
    },
  };
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const deps = { ...made.runtime.deps, hash, ports: tell === null ? {} : { taskAnswers } };
  const runtime = { ...made.runtime, deps };
  const document = freshNamespace('default', 'ns-uid', deps.clock.now());
  await deps.objects.commit('Namespace', {
    key: { namespace: '', name: 'default' },
    was: 0,
    document: document as never,
  });
  const handler = submitHandler(() => runtime);
  return {
    said,
    letters,
    retried,
    warnings: made.warnings,
    deps,
    /** How many messages come again. */
    submit: async (bodies: readonly (object | string)[], receives = 1) => {
      const texts = bodies.map((body) => (typeof body === 'string' ? body : JSON.stringify(body)));
      const { batchItemFailures } = await handler(anEvent(texts, receives), contextOf('submit', 30_000));
      return batchItemFailures.length;
    },
  };
}

const FROM = { kind: 'Job', name: 'resize' };
const POD = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'alpine', command: ['true'] }] };
const job = (spec: object, annotations: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'direct', annotations },
  spec: { template: { spec: POD }, ...spec },
});
const NOT_FOUND = { error: 'NotFound', cause: 'jobs.batch "resize" not found' };

test.each<[string, object | string, TaskFailure]>([
  ['its template is missing', { from: FROM, taskToken: 'T' }, NOT_FOUND],
  ['so is that of an empty list', { from: FROM, items: [], taskToken: 'T' }, NOT_FOUND],
  [
    'it has an unknown field',
    { from: FROM, taskToken: 'T', itmes: [] },
    { error: 'BadRequest', cause: 'the message is invalid: itmes: unknown field' },
  ],
  [
    'a number of its items would be another',
    '{"from": {"kind": "Job", "name": "resize"}, "taskToken": "T", "items": [1.10]}',
    { error: 'BadRequest', cause: expect.stringMatching(/^the message is invalid: items\[0\]: /) as string },
  ],
  [
    'it is none of ours',
    { form: FROM, taskToken: 'T' },
    { error: 'BadRequest', cause: expect.stringMatching(/^the message has neither manifest nor from/) as string },
  ],
  [
    'its Job is invalid',
    { manifest: job({ parallelism: -1 }), taskToken: 'T' },
    { error: 'Invalid', cause: expect.stringMatching(/^Job.batch "direct" is invalid: spec.parallelism: /) as string },
  ],
  [
    'the token is where the Job has it',
    { manifest: job({ parallelism: -1 }, { 'muster.run/task-token': 'T' }) },
    { error: 'Invalid', cause: expect.stringContaining('spec.parallelism') as string },
  ],
  [
    'its namespace is missing',
    { from: { ...FROM, namespace: 'none' }, taskToken: 'T' },
    { error: 'NotFound', cause: 'namespaces "none" not found' },
  ],
  [
    'it came through SNS',
    { Type: 'Notification', MessageId: 'm', Message: JSON.stringify({ from: FROM, taskToken: 'T' }) },
    NOT_FOUND,
  ],
])('a message is refused, and its task fails at once: %s', async (_why, body, failure) => {
  const w = await world();
  expect(await w.submit([body])).toBe(0);
  expect(w.said).toEqual([{ token: 'T', ...failure }]);
  expect(w.letters).toEqual([]);
  expect(w.warnings.join()).toContain('"task":"answered"');
});

test('a name that another Job has is an answer, too; a Job that is made answers for itself', async () => {
  const w = await world();
  const manifest = job({});
  await w.submit([{ manifest, taskToken: 'first' }]);
  await w.submit([{ manifest, taskToken: 'first' }]);
  expect(w.said).toEqual([]);
  await w.submit([{ manifest, taskToken: 'second' }]);
  expect(w.said).toMatchObject([{ token: 'second', error: 'AlreadyExists' }]);
});

test('a message that comes again after its answer is no error', async () => {
  let waits = true;
  const w = await world(() => {
    const told = waits ? 'answered' : 'nobody';
    waits = false;
    return told;
  });
  for (let n = 0; n < 2; n++) expect(await w.submit([{ from: FROM, taskToken: 'T' }])).toBe(0);
  expect([w.said.length, w.letters.length, w.retried.length]).toEqual([2, 0, 0]);
  expect(w.warnings.join()).toContain('"task":"nobody"');
});

test('an answer that is not taken comes again with the message, and at last the refusal is a dead letter', async () => {
  const w = await world(() => {
    throw new Error('Step Functions says ThrottlingException');
  });
  expect(await w.submit([{ from: FROM, taskToken: 'T' }])).toBe(1);
  expect([w.letters.length, w.retried.length]).toEqual([0, 1]);
  expect(await w.submit([{ from: FROM, taskToken: 'T' }], 5)).toBe(0);
  expect(w.letters).toEqual([
    {
      reason: `${NOT_FOUND.cause}; the task that waits is not answered: Step Functions says ThrottlingException`,
      refusal: { namespace: 'default', status: expect.stringContaining('"reason":"NotFound"') as string },
    },
  ]);
});

test('a token of no task, such as "$$.Task.Token" itself, is a dead letter: nobody else would hear of it', async () => {
  const w = await world((token) => (token === 'T' ? 'answered' : 'noToken'));
  const messages = ['$$.Task.Token', 'T'].map((taskToken) => ({ from: FROM, taskToken }));
  expect(await w.submit(messages)).toBe(0);
  expect(w.said.map(({ token }) => token)).toEqual(['$$.Task.Token', 'T']);
  expect(w.letters).toMatchObject([{ reason: NOT_FOUND.cause, refusal: { namespace: 'default' } }]);
});

test('what is no refusal is not answered: the message comes again', async () => {
  const w = await world();
  w.deps.objects.read = async () => Promise.reject(new Error('throttled'));
  expect(await w.submit([{ from: FROM, taskToken: 'T' }])).toBe(1);
  expect([w.said.length, w.letters.length, w.retried.length]).toEqual([0, 0, 1]);
});

test.each<[string, boolean, object | string]>([
  ['nobody answers tokens here', false, { from: FROM, taskToken: 'T' }],
  ['it has none', true, { from: FROM }],
  ['what it has is none', true, { from: FROM, taskToken: 'no token' }],
  ['its text is broken', true, '{"taskToken": "T", '],
])('it is a dead letter, where %s', async (_why, isOn, body) => {
  const w = await world(isOn ? undefined : null);
  expect(await w.submit([body])).toBe(0);
  expect([w.said.length, w.letters.length]).toEqual([0, 1]);
});
