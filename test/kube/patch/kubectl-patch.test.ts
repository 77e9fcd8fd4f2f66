import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { patchDocument } from '../../../shared/kube/patch/patch-document.ts';
import { findKubectls } from '../../kubectl/kubectls.ts';
import { type Json, KINDS, aJob, aTemplate, anyJob } from './a-job.ts';
import { strategicDiff } from './strategic-diff.ts';

/**
 * `kubectl patch --local` patches a file with upstream's own code: what it prints is the expected result. Older versions leave
 * directives in what they add, so the newest is used.
 */
const kubectl = findKubectls().at(-1);
const PAIRS = 8;
const SEED = 20_260_101;

const named = (...names: string[]) => names.map((name) => ({ name }));
const inContainer = (container: Json): Json => ({
  spec: { template: { spec: { containers: [{ name: 'c', ...container }] } } },
});

describe.skipIf(kubectl === undefined)('as kubectl patches a file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-patch-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[why: string, job: Json, patch: Json]>([
    ['a new item', { env: named('a', 'b') }, inContainer({ env: named('n') })],
    ['an order', { env: named('x', 'a', 'y', 'b', 'z') }, inContainer({ '$setElementOrder/env': named('b', 'a') })],
    [
      'an order with a new item',
      { env: named('a', 'x', 'b') },
      inContainer({ env: named('n'), '$setElementOrder/env': named('a', 'n', 'b') }),
    ],
    [
      'twins',
      { env: [...named('a', 'b'), { name: 'a', value: '2' }] },
      inContainer({ env: [{ name: 'a', value: '9' }] }),
    ],
    [
      'a deletion',
      { env: [...named('a', 'b'), { name: 'a', value: '2' }] },
      inContainer({ env: [{ name: 'a', $patch: 'delete' }] }),
    ],
    [
      'a deletion of what is not there',
      {},
      inContainer({
        env: [
          { name: 'a', $patch: 'delete' },
          { name: 'b', value: 'x' },
        ],
      }),
    ],
    ['a list replaced', { env: named('a', 'b') }, inContainer({ env: [{ $patch: 'replace' }, ...named('z')] })],
    ['no key', {}, { spec: { template: { spec: { containers: [{ image: 'x' }] } } } }],
    ['an unknown directive', {}, { spec: { $patch: 'explode' } }],
    [
      'a wrong order',
      {},
      { spec: { template: { spec: { containers: named('b', 'a'), '$setElementOrder/containers': named('a', 'b') } } } },
    ],
    ['an unknown list', {}, { spec: { '$setElementOrder/other': [] } }],
  ])('%s', (_why, container, patch) => {
    const job = aJob({ template: aTemplate(container) });
    expect(ours(job, patch)).toEqual(theirs(folder, job, patch));
  });

  test('random Jobs, patched by the difference and by each other', () => {
    const jobs = fc.sample(anyJob, { numRuns: 2 * PAIRS, seed: SEED });
    for (let i = 0; i < jobs.length; i += 2) {
      const [job, other] = [withoutQuantities(jobs[i]!), withoutQuantities(jobs[i + 1]!)];
      const { metadata, spec } = other;
      for (const patch of [strategicDiff(KINDS, 'Job', job, other), { metadata, spec }]) {
        expect(ours(job, patch)).toEqual(theirs(folder, job, patch));
      }
    }
  });
});

function theirs(folder: string, job: Json, patch: Json): unknown {
  const file = join(folder, 'job.json');
  writeFileSync(file, JSON.stringify(job));
  const args = ['patch', '--local', '-f', file, '--type=strategic', '-p', JSON.stringify(patch), '-o', 'json'];
  try {
    const printed = execFileSync(kubectl?.path ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return tidied(JSON.parse(printed));
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr)
      .replace(/^error: /, '')
      .trim();
  }
}

function ours(job: Json, patch: Json): unknown {
  const patched = patchDocument(KINDS, 'Job', job, 'strategic', patch);
  return patched.kind === 'patched' ? tidied(patched.document) : patched.message.trim();
}

/** Words are not quantities, and Go refuses them. */
function withoutQuantities(job: Json): Json {
  const copy = structuredClone(job) as { spec: { template: { spec: { containers: Json[] } } } } & Json;
  for (const container of copy.spec.template.spec.containers) delete container['resources'];
  return copy;
}

/** Without what Go adds by itself: empty structs that are not pointers, and times that are null. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, inner]): [string, unknown] => [key, tidied(inner)])
    .filter(([key, inner]) => inner !== null && key !== 'status')
    .filter(([key, inner]) => !['metadata', 'resources'].includes(key) || JSON.stringify(inner) !== '{}');
  return Object.fromEntries(entries);
}
