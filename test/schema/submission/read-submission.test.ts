import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { JOB_TEMPLATES } from '../../../shared/capabilities/lists/job-templates.ts';
import { readMessage } from '../../../shared/schema/submission/read-submission.ts';

/** What a service sends; the template is one that the kernel has. */
const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/submissions/${name}.json`, import.meta.url), 'utf8').replaceAll(
    'CronJob',
    'Job',
  );
const parsed = (name: string): object => JSON.parse(fixture(name)) as object;
const read = (body: string | object, id = 'm1') =>
  readMessage(typeof body === 'string' ? body : JSON.stringify(body), id);
const sourceOf = (body: string | object, id?: string): string => {
  const message = read(body, id);
  if (message.kind !== 'submission') throw new Error(`${message.kind} ${JSON.stringify(message)}`);
  return message.submission.source;
};
const FROM = { kind: 'Job', name: 'report' };
const A_TEMPLATE = [...JOB_TEMPLATES.map(({ kind }) => kind), 'Job'].join(' or ');
const NONE = { name: null, items: null, env: [] };

describe('what services send', () => {
  test('S3, directly: keys are decoded as a form encodes them', () => {
    expect(read(fixture('s3-notification'))).toEqual({
      kind: 'objects',
      objects: [
        {
          bucket: 'uploads',
          key: 'incoming/März 2026 + $1.csv',
          versionId: '096fKKXTRTtl3on89fVO.nfljtsv6qko',
          size: 1024,
          source: expect.stringContaining('0055AED6DCD90281E5') as string,
        },
      ],
    });
  });

  test('S3, through EventBridge: the same object, whose key is not encoded', () => {
    expect(read(fixture('s3-through-eventbridge'))).toEqual(read(fixture('s3-notification'), 'another'));
  });

  test('S3, through SNS: the same object again', () => {
    const wrapped = { ...parsed('sns-notification'), Message: fixture('s3-notification') };
    expect(read(wrapped)).toEqual(read(fixture('s3-notification')));
  });

  test('S3 tries a notification out, directly and through SNS', () => {
    expect(read(fixture('s3-test-event'))).toEqual({ kind: 'test' });
    expect(read({ ...parsed('sns-notification'), Message: fixture('s3-test-event') })).toEqual({
      kind: 'test',
    });
  });

  test("SNS's envelope is known by its own id, whatever the queue's is; without it the message is all there is", () => {
    expect(read(fixture('sns-notification'), 'first')).toEqual({
      kind: 'submission',
      submission: {
        namespace: 'default',
        source: 'sns/22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
        taskToken: null,
        of: { ...FROM, additions: { ...NONE, env: [{ name: 'DAY', value: '2026-11-23' }] } },
      },
    });
    expect(sourceOf((parsed('sns-notification') as { readonly Message: string }).Message, 'raw')).toBe('sqs/raw');
  });

  test('an event whose detail is a message is known by the id of the event', () => {
    expect(sourceOf(fixture('eventbridge-own'))).toBe('event/6a7e8feb-b491-4cf7-a9f1-bf3703467718');
  });

  test('what an input transformer or a schedule makes is known by the id that it says', () => {
    expect(sourceOf(fixture('eventbridge-transformed'))).toBe('id/17793124-05d4-b198-2fde-7ededc63b103');
    expect(sourceOf(fixture('scheduler'))).toBe('id/nightly 2026-11-23T02:00:00Z');
  });

  test('a Step Functions task is known by its token, and its items become a list', () => {
    expect(read(fixture('step-functions'))).toEqual({
      kind: 'submission',
      submission: {
        namespace: 'default',
        source: expect.stringMatching(/^token\/AQCE/) as string,
        taskToken: expect.stringMatching(/^AQCE/) as string,
        of: {
          ...FROM,
          additions: { ...NONE, items: { kind: 'inline', text: 'FILE\tSIZE\na.csv\t12\nb c.csv\t7\n' } },
        },
      },
    });
  });

  test('an event of another service asks for nothing, and the reason says what would help', () => {
    expect(read(fixture('eventbridge-other'))).toMatchObject({
      kind: 'unreadable',
      message: expect.stringMatching(/input transformer \("Scheduled Event" of "aws.events"\)$/) as string,
    });
  });
});

describe('what tells submissions apart', () => {
  const named = { from: FROM, name: 'report-1' };
  test.each([
    ['an id, whatever else differs', { from: FROM, id: 'x' }, { from: FROM, id: 'x', env: { A: 1 } }, true],
    ['another id', { from: FROM, id: 'x' }, { from: FROM, id: 'y' }, false],
    ['a name, with all that is said', named, { ...named }, true],
    ['a name, and something else', named, { ...named, env: { A: '1' } }, false],
    ['a named manifest', { manifest: { metadata: { name: 'a' } } }, { manifest: { metadata: { name: 'a' } } }, true],
    ['neither', { from: FROM }, { from: FROM }, false],
    ['a manifest without a name', { manifest: {} }, { manifest: {} }, false],
    ['a token', { from: FROM, taskToken: 't' }, { from: FROM, taskToken: 't', env: { A: '1' } }, true],
    [
      'an id, and the token of another try',
      { from: FROM, id: 'x', taskToken: 't' },
      { from: FROM, id: 'x', taskToken: 'u' },
      false,
    ],
    ['a name, and the token of another try', { ...named, taskToken: 't' }, { ...named, taskToken: 'u' }, false],
  ])('%s', (_, one, other, isSame) => {
    expect(sourceOf(one, 'm1') === sourceOf(other, 'm2')).toBe(isSame);
    expect(sourceOf(one, 'm1')).toBe(sourceOf(one, 'm1'));
  });

  const record = (object: object) => ({
    Records: [
      {
        eventSource: 'aws:s3',
        eventName: 'ObjectCreated:Put',
        s3: { bucket: { name: 'b' }, object: { key: 'k', ...object } },
      },
    ],
  });
  const objectSource = (object: object, id: string): string => {
    const message = read(record(object), id);
    return message.kind === 'objects' ? (message.objects[0]?.source ?? '') : message.kind;
  };
  test.each([
    ['the same sequencer', { sequencer: '1' }, { sequencer: '1' }, true],
    ['another sequencer: the key was written again', { sequencer: '1' }, { sequencer: '2' }, false],
    ['the same version', { versionId: 'v' }, { versionId: 'v' }, true],
    ['another version', { versionId: 'v', sequencer: '1' }, { versionId: 'w', sequencer: '1' }, false],
    ['another key', { sequencer: '1' }, { key: 'l', sequencer: '1' }, false],
    ['neither', {}, {}, false],
  ])('of objects, %s', (_, one, other, isSame) => {
    expect(objectSource(one, 'm1') === objectSource(other, 'm2')).toBe(isSame);
  });
});

describe('what is refused', () => {
  test.each<[string | object, string | null, RegExp | string]>([
    ['no JSON', null, /json parse error/],
    ['', null, /json parse error/],
    ['[]', null, /neither manifest nor from/],
    ['null', null, /neither manifest nor from/],
    [`${'['.repeat(1000)}${']'.repeat(1000)}`, null, /levels|nested|deep/],
    ['{"from":{"kind":"Job","name":"a"},"from":{"kind":"Job","name":"b"}}', null, /duplicate field "from"/],
    [{ hello: 'world' }, null, /neither manifest nor from/],
    [{ Records: [{ eventSource: 'aws:ses', eventName: 'x', s3: {} }] }, null, /neither manifest nor from/],
    [{ ...parsed('sns-notification'), Message: 'hello' }, null, /json parse error/],
    [
      { ...parsed('s3-through-eventbridge'), 'detail-type': 'Object Deleted' },
      null,
      'only objects that are created make Jobs, and this is "Object Deleted"',
    ],
    [fixture('s3-notification').replace('ObjectCreated:Put', 'ObjectRemoved:Delete'), null, /"ObjectRemoved:Delete"/],
  ])('%j', (body, namespace, message) => {
    const refused = read(body);
    expect(refused).toMatchObject({ kind: 'unreadable', namespace, faults: [] });
    expect(refused.kind === 'unreadable' && refused.message).toMatch(message);
  });

  test.each<[object, string, string]>([
    [{ from: { kind: 'Pod', name: 'a' } }, 'from.kind', `must be ${A_TEMPLATE}`],
    [{ from: { kind: 'Job', name: '' } }, 'from.name', 'must not be empty'],
    [
      { from: FROM, manifest: {} },
      '',
      `must have manifest (a Job) or from (the ${A_TEMPLATE} whose template it has), and not both`,
    ],
    [{ manifest: {}, items: ['a'] }, 'items', 'belongs to from; with manifest, write it into the manifest'],
    [{ manifest: {}, env: {} }, 'env', 'belongs to from; with manifest, write it into the manifest'],
    [{ manifest: {}, name: 'a' }, 'name', 'belongs to from; with manifest, write it into the manifest'],
    [{ manifest: 'text' }, 'manifest', 'must be an object: a Job of batch/v1'],
    [{ from: FROM, TaskToken: 'x' }, 'TaskToken', 'unknown field'],
    [{ from: { ...FROM, uid: 'x' } }, 'from.uid', 'unknown field'],
    [{ from: FROM, items: [] }, 'items', 'must have an item; with "allowEmpty": true none is fine'],
    [{ from: FROM, items: [], allowEmpty: false }, 'items', 'must have an item'],
    [{ from: FROM, items: '', allowEmpty: true }, 'items', 'must not be empty'],
    [{ from: FROM, items: [], allowEmpty: 'yes' }, 'allowEmpty', 'must be true or false'],
    [{ manifest: {}, allowEmpty: true }, 'allowEmpty', 'belongs to from'],
    [{ from: FROM, items: [{ A: 1 }, { B: 1 }] }, 'items[1]', '"B" is none of the columns A'],
    [{ from: FROM, items: ['a', { A: [] }] }, 'items[1]', ''],
    [{ from: FROM, env: { A: null } }, 'env.A', 'must be a string, a number, or a boolean'],
    [{ from: FROM, env: ['A=1'] }, 'env', 'must be an object of values by name, such as {"DAY": "2026-11-23"}'],
    [{ from: FROM, id: 'x'.repeat(513) }, 'id', 'must have at most 512 characters'],
    [{ from: FROM, taskToken: 'x'.repeat(2049) }, 'taskToken', 'must have at most 2048 characters'],
    [
      { from: { ...FROM, namespace: 'a' }, namespace: 'b' },
      'from.namespace',
      'must be b, as namespace says: a Job is made where its template is',
    ],
  ])('%j', (body, path, message) => {
    const refused = read(body);
    if (refused.kind !== 'unreadable') throw new Error(refused.kind);
    const fault = refused.faults.find((each) => each.path === path);
    expect(fault, JSON.stringify(refused.faults)).toBeDefined();
    expect(fault?.message).toContain(message);
  });

  test('its namespace is known as far as the message says it', () => {
    const of = (body: object) => {
      const refused = read({ ...body, oops: 1 });
      return refused.kind === 'unreadable' ? refused.namespace : refused.kind;
    };
    expect(of({ from: FROM, namespace: 'a' })).toBe('a');
    expect(of({ from: { ...FROM, namespace: 'b' } })).toBe('b');
    expect(of({ manifest: { metadata: { namespace: 'c' } } })).toBe('c');
    expect(of({ from: FROM })).toBeNull();
  });
});

test('a Job is made in the namespace that the message says, that of its template, that of its manifest, or default', () => {
  const of = (body: object) => {
    const message = read(body);
    return message.kind === 'submission' ? message.submission.namespace : message.kind;
  };
  expect(of({ from: FROM, namespace: 'a' })).toBe('a');
  expect(of({ from: { ...FROM, namespace: 'b' } })).toBe('b');
  expect(of({ manifest: { metadata: { namespace: 'c' } } })).toBe('c');
  expect(of({ manifest: {} })).toBe('default');
});
