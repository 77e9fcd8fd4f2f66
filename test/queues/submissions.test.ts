import { expect, test } from 'vitest';
import { createInProcessQueues } from '../../local/queues/in-process-queues.ts';
import { bodyBesideAttributes } from '../../shared/adapters/dead-letter-reason.ts';
import { systemClock } from '../../shared/adapters/system-clock.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';

const open = () => createInProcessQueues({ visibilityMs: 600_000, now: () => systemClock.now() });

/** Whether a promise is kept, once all that can happen at once has happened. */
async function isKept(promise: Promise<unknown>): Promise<boolean> {
  let kept = false;
  promise.then(
    () => void (kept = true),
    () => undefined,
  );
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return kept;
}

test('a submission is promised when its message is done with, not before', async () => {
  const { submissions, inboxes } = open();
  const promised = submissions.send('{}');
  const [received] = await inboxes.submit.receive();
  expect(await isKept(promised)).toBe(false);
  await inboxes.submit.retry([received!.receipt], 0);
  const [again] = await inboxes.submit.receive();
  expect(await isKept(promised)).toBe(false);
  await inboxes.submit.remove([again!.receipt]);
  expect(await promised).toBe(received!.id);
});

test('one that is given up is done with, too', async () => {
  const { submissions, inboxes, deadQueues } = open();
  const promised = submissions.send('{}');
  for (let n = 0; n < RECEIVES_MAX; n++) {
    const [received] = await inboxes.submit.receive();
    await inboxes.submit.retry([received!.receipt], 0);
  }
  expect(await isKept(promised)).toBe(false);
  expect(await inboxes.submit.receive()).toEqual([]);
  await promised;
  expect(await deadQueues.take('submit')).toHaveLength(1);
});

test('where the process ends first, nothing was promised', async () => {
  const { submissions, close } = open();
  const promised = submissions.send('{}');
  close();
  await expect(promised).rejects.toThrow('the queues are closed');
  await expect(submissions.send('{}')).rejects.toThrow('the queues are closed');
});

test('a text that SQS would not take is refused', async () => {
  const { submissions } = open();
  await expect(submissions.send('')).rejects.toThrow('1 byte to 1 MiB');
  await expect(submissions.send('x'.repeat(1_048_577))).rejects.toThrow('1 byte to 1 MiB');
});

test('a body is cut to leave room for what its dead letter says, and a short one is not', () => {
  expect(bodyBesideAttributes('short')).toBe('short');
  const cut = bodyBesideAttributes('é'.repeat(524_288));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_048_576 - 16_384);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(1_000_000);
});
