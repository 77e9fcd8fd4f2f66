import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { dependentCompletions, parseAfterIndexes } from '../../shared/domain/manifests/annotations/dependencies.ts';

// The example without Muster: each Job's indexes as its tasks would run, Job after Job.

const EXAMPLES = join(import.meta.dirname, '../../examples');
const FlowJob = z.object({
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.looseObject({
    completions: z.number(),
    template: z.object({
      spec: z.looseObject({ containers: z.tuple([z.looseObject({ command: z.array(z.string()) })]) }),
    }),
  }),
});

const root = mkdtempSync(join(tmpdir(), 'muster-map-reduce-'));
const workspace = join(root, 'map-reduce');
const flowText = readFileSync(join(EXAMPLES, 'map-reduce/flow.yaml'), 'utf8');
const jobs = parseAllDocuments(flowText).map((document) => FlowJob.parse(document.toJS()));

beforeAll(() => {
  for (const folder of ['map-reduce', 'wordcount'])
    cpSync(join(EXAMPLES, folder), join(root, folder), {
      recursive: true,
      filter: (path) => !path.endsWith('/counts'),
    });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function runTask({ spec }: (typeof jobs)[number], index: number) {
  const [program = '', ...args] = spec.template.spec.containers[0].command;
  const env = { PATH: process.env['PATH'], JOB_COMPLETION_INDEX: `${index}`, MUSTER_WORKSPACE: workspace };
  return spawnSync(program, args, { cwd: workspace, env, encoding: 'utf8' });
}

test('flow.yaml is what its generator prints: 200 indexes, and half as many from Job to Job', () => {
  const printed = spawnSync(process.execPath, [join(EXAMPLES, 'map-reduce/flow.mjs'), '200'], { encoding: 'utf8' });
  expect(printed.stdout).toBe(flowText);
  expect(jobs.map(({ spec }) => spec.completions)).toEqual([200, 100, 50, 25, 13, 7, 4, 2, 1]);
  for (const [i, { metadata, spec }] of jobs.entries()) {
    const before = jobs[i - 1];
    const text = metadata.annotations['muster.run/after-indexes'];
    const wanted = before === undefined ? [] : [{ name: before.metadata.name, perIndex: 2 }];
    expect(text === undefined ? [] : parseAfterIndexes(text)).toEqual(
      before === undefined ? [] : { kind: 'ok', afterIndexes: wanted },
    );
    expect(before === undefined ? 200 : dependentCompletions(before.spec.completions, 2)).toBe(spec.completions);
  }
});

test('all indexes, Job after Job, come to what one program counts', () => {
  for (const job of jobs)
    for (let index = 0; index < job.spec.completions; index++)
      expect(runTask(job, index)).toMatchObject({ status: 0, stderr: '' });
  const sequential = spawnSync('sh', [join(workspace, 'sequential.sh')], { encoding: 'utf8' });
  const merged = readFileSync(join(workspace, 'counts/merge-1/0'), 'utf8').trimEnd().split('\n');
  expect(sequential).toMatchObject({ status: 0, stderr: '' });
  expect(merged.toSorted()).toEqual(sequential.stdout.trimEnd().split('\n').toSorted());
  expect(merged).toContain('the\t5811');
});

test('a merge whose input is missing fails, and leaves the result of an earlier attempt', () => {
  const [, merge] = jobs;
  const before = readFileSync(join(workspace, 'counts/merge-100/3'), 'utf8');
  unlinkSync(join(workspace, 'counts/map/7'));
  expect(runTask(merge!, 3).status).not.toBe(0);
  expect(readFileSync(join(workspace, 'counts/merge-100/3'), 'utf8')).toBe(before);
});
