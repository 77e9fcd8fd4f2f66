import { describe, expect, test } from 'vitest';
import { quotaDocument } from '../../shared/capabilities/quotas/test/limit-documents.ts';
import { START, indexed } from '../../shared/capabilities/simulate/test/a-simulation.ts';
import { simulate } from '../../shared/capabilities/simulate/test/run-simulate.ts';
import { NO_SCRIPT } from '../../shared/capabilities/simulate/world/script.ts';
import { simulateJob } from '../../shared/capabilities/simulate/world/simulate-job.ts';
import { WORK_LIST_NAMING } from '../../shared/capabilities/worklists/annotations/index.ts';

describe('a Job that names a WorkList', () => {
  test('a WorkList beside the Job, and items in the script', async () => {
    const job = indexed(2);
    const { completions: _, parallelism: _all, ...spec } = job.spec as Record<string, unknown>;
    const annotations = { 'muster.run/work-list': 'fruits', 'muster.run/batch': '2' };
    const listed = { ...job, spec, metadata: { ...job.metadata, annotations } };
    const list = {
      apiVersion: 'muster.run/v1',
      kind: 'WorkList',
      metadata: { name: 'fruits' },
      spec: { columns: ['FRUIT'], items: [['apple'], ['dragon fruit'], ['fig']] },
    };
    const files = {
      'job.yaml': `${JSON.stringify(list)}\n---\n${JSON.stringify(listed)}\n`,
      'only.yaml': listed,
      'fates.yaml': 'attempts: [{item: dragon fruit, attempt: 0, exitCode: 3}]\n',
      'fruits.csv': 'FRUIT\napple\ndragon fruit\nfig\n',
    };
    const { code, out, err } = await simulate('-f job.yaml --script fates.yaml -o json', files);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { attempts } = JSON.parse(out) as { attempts: Record<string, unknown>[] };
    expect(attempts.map(({ index, exitCode, item }) => [index, exitCode, item])).toEqual([
      [0, 3, 'apple\ndragon fruit'],
      [0, 0, 'apple\ndragon fruit'],
      [1, 0, 'fig'],
    ]);
    const given = '-f only.yaml --items @fruits.csv --header --script fates.yaml';
    expect((await simulate(`${given} -o json`, files)).out).toBe(out);
    expect((await simulate(given, files)).out).toContain('1x  counted as failed: exit code 3 (index 0 (apple +1))');
  });

  test.each([
    ['-f job.yaml', /job.yaml is refused: metadata.annotations\[muster.run\/work-list\]: .*is not simulated/],
    ['-f job.yaml --items @gone.txt', /gone.txt does not exist/],
    ['-f job.yaml --items @bad.csv --header', /bad.csv:2: .*has 1 value; the list has 2 columns/],
    ['-f job.yaml --header', /are for --items/],
    ['-f - --items @-', /standard input can hold/],
    ['-f plain.yaml --items @a.txt', /muster.run\/work-list\]: .*is needed where --items gives its items/],
  ])('%s: exit 2', async (line, expected) => {
    const job = indexed(1);
    const annotations = { 'muster.run/work-list': 'fruits' };
    const { code, out, err } = await simulate(
      line,
      {
        'job.yaml': { ...job, metadata: { ...job.metadata, annotations } },
        'plain.yaml': job,
        'a.txt': 'a\n',
        'bad.csv': 'A,B\n1\n',
        'fates.yaml': 'attempts: [{item: a}]\n',
      },
      JSON.stringify(job),
    );
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(expected);
  });

  test('runs with its items beside a quota', async () => {
    const document = {
      ...indexed(2),
      metadata: { name: 'work', annotations: { [WORK_LIST_NAMING.workList.key]: 'files' } },
    };
    const lists = { documents: [], items: { columns: ['F'], rows: [['a'], ['b']] } };
    const wanted = {
      document,
      lists,
      limits: [quotaDocument({ pods: '4' })],
      script: NO_SCRIPT,
      seed: 1,
      start: START,
    };
    expect(await simulateJob(wanted)).toMatchObject({ simulation: { end: { kind: 'complete' } } });
  });
});
