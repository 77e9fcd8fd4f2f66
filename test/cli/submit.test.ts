import { expect, test } from 'vitest';
import { aServer } from './a-server.ts';

const FROM = { kind: 'Job', name: 'report' };

async function accepting() {
  const sent: unknown[] = [];
  const submissions = { send: async (body: string) => `id-${sent.push(JSON.parse(body))}` };
  return { sent, server: await aServer({ submissions }) };
}

test('muster submit sends a message, in the namespace of the command unless it says its own', async () => {
  const { sent, server } = await accepting();
  server.file('message.json', { from: FROM });
  server.file('message.yaml', 'manifest:\n  metadata:\n    name: a\n');
  server.file('placed.json', { from: { ...FROM, namespace: 'own' } });
  expect(await server.run('submit -f message.json')).toEqual({
    code: 0,
    out: 'submission id-1 accepted\n',
    err: '',
  });
  await server.run('submit -f message.yaml -n team');
  await server.run('submit -f placed.json -n team');
  const piped = await server.run('submit -f -', { stdin: JSON.stringify({ from: FROM, id: 'x' }) });
  expect(piped.out).toBe('submission id-4 accepted\n');
  expect(sent).toEqual([
    { from: FROM, namespace: 'default' },
    { manifest: { metadata: { name: 'a' } }, namespace: 'team' },
    { from: { ...FROM, namespace: 'own' } },
    { from: FROM, id: 'x', namespace: 'default' },
  ]);
});

test('what S3 writes is sent as it is', async () => {
  const { sent, server } = await accepting();
  const event = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'uploads' };
  server.file('s3.json', event);
  expect((await server.run('submit -f s3.json')).code).toBe(0);
  expect(sent).toEqual([event]);
});

test('a message that asks for nothing is refused at once, and not sent', async () => {
  const { sent, server } = await accepting();
  server.file('wrong.json', { from: { kind: 'Pod', name: 'a' } });
  const { code, err } = await server.run('submit -f wrong.json');
  expect([code, err]).toEqual([1, expect.stringContaining('from.kind: must be ')]);
  expect(sent).toEqual([]);
  expect(await server.run('submit')).toMatchObject({ code: 2, err: expect.stringContaining('give -f') as string });
});

test('an installation without the queue says so', async () => {
  const server = await aServer();
  server.file('message.json', { from: FROM });
  const { code, err } = await server.run('submit -f message.json');
  expect([code, err]).toEqual([1, expect.stringContaining('this installation takes no submissions')]);
});

test('the API takes JSON of 1 MiB, by POST, and answers 202', async () => {
  const { sent, server } = await accepting();
  const post = async (body: string, type = 'application/json') => {
    const answer = await fetch(`${server.url}/muster/v1/submissions`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    return { status: answer.status, body: (await answer.json()) as { readonly message?: string } };
  };
  const message = (bytes: number) => {
    const empty = JSON.stringify({ manifest: { a: '' } });
    return JSON.stringify({ manifest: { a: 'x'.repeat(bytes - empty.length) } });
  };
  expect(await post(JSON.stringify({ from: FROM }))).toEqual({
    status: 202,
    body: { apiVersion: 'muster.run/v1', kind: 'Submission', id: 'id-1' },
  });
  expect((await post(message(1_048_576))).status).toBe(202);
  expect((await post(message(1_048_577))).status).toBe(413);
  expect((await post('{}', 'text/plain')).status).toBe(415);
  expect((await post('hello')).status).toBe(400);
  expect((await fetch(`${server.url}/muster/v1/submissions`)).status).toBe(405);
  expect(sent).toHaveLength(2);
});

test.each([
  ['JSON', '{"from": {"kind": "Job", "name": "report"}, "items": [1, 9007199254740993]}', 'items[1]'],
  ['YAML', 'from: {kind: Job, name: report}\nitems:\n  - {A: 1.10}\n', 'items[0].A'],
  ['YAML', 'from: {kind: Job, name: report}\nenv:\n  N: 0x10\n', 'env.N'],
  ['an event', '{"id": "e", "source": "x", "detail-type": "y", "detail": {"from": {}, "items": [1e21]}}', 'items[0]'],
])('a number that would be sent as another is refused here: %s', async (_, stdin, path) => {
  const { sent, server } = await accepting();
  const { code, err } = await server.run('submit -f -', { stdin });
  expect([code, err]).toEqual([2, expect.stringContaining(`the message is invalid: ${path}: the number `)]);
  expect(sent).toEqual([]);
});
