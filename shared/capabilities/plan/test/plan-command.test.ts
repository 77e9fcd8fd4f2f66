import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Explain, type PlanFlags, planDump } from '../cli/plan-dump.ts';
import { Failure } from '../../../../cli/shell/failure.ts';
import { runCommandLine } from '../../../../cli/program/program.ts';
import type { DumpPlan } from '../domain/cluster-dump.ts';
import { aShell } from '../../../../test/cli/a-shell.ts';

const DUMP = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'frames', namespace: 'team' },
      spec: { completionMode: 'Indexed', completions: 20, parallelism: 20 },
      status: {
        startTime: '2026-01-01T00:00:00Z',
        active: 2,
        ready: 1,
        succeeded: 3,
        completedIndexes: '0-2',
        conditions: [{ type: 'Suspended', status: 'False' }],
      },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'frames-3-aaaaa' } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'frames-4-bbbbb' } },
  ],
};

const NOTHING: DumpPlan = {
  status: {},
  create: [],
  delete: [],
  account: [],
  release: [],
  requeueAfterSec: null,
  events: [],
  because: [],
};

/** Runs the command with a planner that says `plan`, in a folder with these files. */
async function run(
  wish: { plan?: DumpPlan; stdin?: string; files?: Readonly<Record<string, string>>; flags?: Partial<PlanFlags> } = {},
) {
  const cwd = mkdtempSync(join(tmpdir(), 'muster-plan-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(wish.files ?? {})) writeFileSync(join(cwd, name), text);
  const now = () => Date.parse('2026-01-01T00:05:00Z');
  const { shell, out, err } = aShell({ cwd, now, stdin: wish.stdin ?? JSON.stringify(DUMP) });
  const asked: Parameters<Explain>[] = [];
  const explain: Explain = (...args) => {
    asked.push(args);
    return wish.plan ?? NOTHING;
  };
  const flags: PlanFlags = { file: '-', nowMs: null, output: 'text', caps: true, ...wish.flags };
  try {
    const code = await planDump(flags, explain, shell);
    return { code, out: out(), err: err(), asked };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { code: error.exitCode, out: out(), err: error.message, asked };
  }
}

const refusal = async (wish: Parameters<typeof run>[0]) => {
  const { code, out, err, asked } = await run(wish);
  expect({ code, out, asked }).toEqual({ code: 2, out: '', asked: [] });
  return err;
};

describe('input', () => {
  test('standard input, the clock, caps', async () => {
    const { asked } = await run();
    expect(asked).toEqual([
      [
        expect.objectContaining({ pods: [expect.anything(), expect.anything()] }),
        Date.parse('2026-01-01T00:05:00Z'),
        { caps: true },
      ],
    ]);
  });

  test('a file of JSON, a moment, no caps', async () => {
    const nowMs = Date.parse('2026-02-01T00:00:00Z');
    const { asked } = await run({
      files: { 'dump.json': `\uFEFF${JSON.stringify(DUMP)}` },
      stdin: '',
      flags: { file: 'dump.json', nowMs, caps: false },
    });
    expect(asked[0]?.slice(1)).toEqual([nowMs, { caps: false }]);
  });

  test('YAML', async () => {
    const stdin = 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, creationTimestamp: 2026-01-01T00:00:00Z}\n';
    const { asked } = await run({ stdin });
    expect(asked[0]?.[0].job).toMatchObject({ name: 'a', createdAt: Date.parse('2026-01-01T00:00:00Z') });
  });

  test('YAML in braces', async () => {
    const { asked } = await run({ stdin: '{kind: Job, metadata: {name: a}}' });
    expect(asked[0]?.[0].job.name).toBe('a');
  });

  test('a dump larger than any manifest may be, with a key twice', async () => {
    const pods = Array.from({ length: 5_000 }, (_, no) => ({
      kind: 'Pod',
      metadata: { name: `p${no}`, annotations: { long: 'x'.repeat(200) } },
    }));
    const text = JSON.stringify({ ...DUMP, items: [DUMP.items[0], ...pods] });
    const { asked } = await run({ stdin: text.replace('"kind":"List"', '"kind":"List","kind":"List"') });
    expect(asked[0]?.[0].pods).toHaveLength(5_000);
  });

  test.each([
    ['', 'error: standard input is empty'],
    ['{"kind": "List"', 'error: standard input cannot be read: yaml parse error: '],
    ['a: [', 'error: standard input cannot be read: yaml parse error: '],
    ['kind: Job\n---\nkind: Job\n', 'error: standard input cannot be read: yaml parse error: more than one document'],
    ['[]', 'error: standard input: the document: Invalid value: []: must be an object with kind and apiVersion'],
  ])('%j: exit 2', async (stdin, expected) => expect(await refusal({ stdin })).toContain(expected));

  test('a file that there is not', async () =>
    expect(await refusal({ flags: { file: 'nope.json' } })).toBe('error: nope.json does not exist'));

  test('a folder', async () =>
    expect(await refusal({ flags: { file: '.' } })).toContain('error: . cannot be read: EISDIR'));

  test('every fault, each on a line of its own', async () => {
    const bad = {
      ...DUMP,
      items: [...DUMP.items, { kind: 'Pod', metadata: { name: 'p' }, status: { phase: 'Done\n' } }, { kind: 'Node' }],
    };
    expect(await refusal({ stdin: JSON.stringify(bad) })).toMatchInlineSnapshot(`
      "error: standard input is not a dump of a Job:
      * items[4].kind: Unsupported value: "Node": supported values: "Job", "Pod"
      * items[3].status.phase: Unsupported value: "Done\\n": supported values: "Pending", "Running", "Succeeded", "Failed", "Unknown""
    `);
  });
});

const UNCHANGED: DumpPlan = {
  ...NOTHING,
  status: { active: 2, ready: 1, succeeded: 3, completedIndexes: '0-2' },
};

const PLAN: DumpPlan = {
  status: {
    conditions: [
      { type: 'Suspended', status: 'False' },
      { type: 'FailureTarget', status: 'True', reason: 'DeadlineExceeded', message: 'Job was active longer' },
    ],
    startTime: '2026-01-01T00:00:00Z',
    ready: 0,
    terminating: 2,
    succeeded: 3,
    failed: 1,
    completedIndexes: '0-2',
    uncountedTerminatedPods: {},
  },
  create: [
    { index: 9, afterSec: 12.2 },
    { index: 6, afterSec: 0 },
    { index: 5, afterSec: 0 },
  ],
  delete: ['frames-3-aaaaa', 'frames-4-bbbbb'],
  account: ['frames-4-bbbbb'],
  release: ['frames-3-aaaaa'],
  requeueAfterSec: 12.2,
  events: [
    { type: 'Normal', reason: 'SuccessfulDelete', message: 'Deleted pod: frames-3-aaaaa' },
    { type: 'Normal', reason: 'SuccessfulDelete', message: 'Deleted pod: frames-4-bbbbb' },
    { type: 'Warning', reason: 'DeadlineExceeded', message: 'Job was active longer' },
  ],
  because: ['It has been active for longer\nthan it may.'],
};

describe('output', () => {
  test('JSON: the documented keys in their order, and no sentences', async () => {
    const { out } = await run({ plan: PLAN, flags: { output: 'json' } });
    const { because: _, ...documented } = PLAN;
    expect(JSON.parse(out)).toEqual(documented);
    expect(Object.keys(JSON.parse(out) as object)).toEqual([
      'status',
      'create',
      'delete',
      'account',
      'release',
      'requeueAfterSec',
      'events',
    ]);
  });

  test('sentences', async () =>
    expect((await run({ plan: PLAN })).out).toMatchInlineSnapshot(`
      "Job team/frames at 2026-01-01T00:05:00Z, with 2 Pods, started 5m ago.
      It stands at 3 of 20 succeeded (indexes 0-2), 0 failed, 2 active (1 ready), 0 terminating.

      The controller would now
        - create 2 Pods for indexes 5,6
        - create 1 Pod for index 9, after 13s of back-off
        - delete 2 Pods: frames-3-aaaaa, frames-4-bbbbb
        - count 1 finished Pod and remove the finalizer: frames-4-bbbbb
        - remove the finalizer of 1 Pod without counting: frames-3-aaaaa
        - set the condition FailureTarget to True (DeadlineExceeded: Job was active longer)

      Why
        - It has been active for longer than it may.

      After this pass it stands at 3 of 20 succeeded (indexes 0-2), 1 failed, 0 active (0 ready), 2 terminating.

      Events
        - Normal SuccessfulDelete: Deleted pod: frames-3-aaaaa (and 1 more)
        - Warning DeadlineExceeded: Job was active longer

      It checks again in 13s, or when the Job or one of its Pods changes.
      "
    `));

  test('sentences where there is nothing to do', async () =>
    expect((await run({ plan: UNCHANGED })).out).toMatchInlineSnapshot(`
      "Job team/frames at 2026-01-01T00:05:00Z, with 2 Pods, started 5m ago.
      It stands at 3 of 20 succeeded (indexes 0-2), 0 failed, 2 active (1 ready), 0 terminating.

      The controller would now
        - nothing

      It checks again only when the Job or one of its Pods changes.
      "
    `));

  test('Pods that are created are one Event, with one of their names', async () => {
    const created = ['a', 'b', 'c'].map((name) => ({ reason: 'SuccessfulCreate', message: `Created pod: ${name}` }));
    const others = ['it waits', 'it waits for a pod: x'].map((message) => ({ reason: 'Waits', message }));
    const events = [...created, ...others].map((each) => ({ type: 'Normal' as const, ...each }));
    expect((await run({ plan: { ...NOTHING, events } })).out).toContain(
      [
        'Events',
        '  - Normal SuccessfulCreate: Created pod: a (and 2 more)',
        '  - Normal Waits: it waits',
        '  - Normal Waits: it waits for a pod: x',
      ].join('\n'),
    );
  });

  test('sentences where only counts change', async () => {
    const { out } = await run({ plan: { ...UNCHANGED, status: { ...UNCHANGED.status, ready: 2 } } });
    expect(out).toContain('The controller would now\n  - write the counts below\n');
    expect(out).toContain('After this pass it stands at 3 of 20 succeeded (indexes 0-2), 0 failed, 2 active (2 ready)');
  });

  test('long lists are cut', async () => {
    const names = Array.from({ length: 600 }, (_, no) => `p${no}`);
    const create = names.map((_, no) => ({ index: no * 2, afterSec: 0 }));
    const { out } = await run({ plan: { ...NOTHING, account: names, create, because: names } });
    expect(out).toContain('  - p9\n  - and 590 more\n');
    expect(out).toContain(
      'count 600 finished Pods and remove the finalizer: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, and 590 more\n',
    );
    expect(out).toContain('create 600 Pods for indexes 0,2,4,6,8,10,12,14,16,18,...\n');
  });

  test('a work queue has no indexes', async () => {
    const stdin = JSON.stringify({ kind: 'Job', metadata: { name: 'q' }, spec: { parallelism: 2 } });
    const create = [
      { index: null, afterSec: 0 },
      { index: null, afterSec: 0 },
    ];
    const { out } = await run({ stdin, plan: { ...NOTHING, create } });
    expect(out).toContain('create 2 Pods\n');
    expect(out).toContain('It stands at 0 succeeded, 0 failed, 0 active (0 ready), 0 terminating.\n');
  });
});

describe('the command', () => {
  const plan = async (line: string) => {
    const { shell, out, err } = aShell({ cwd: tmpdir(), stdin: JSON.stringify(DUMP) });
    const code = await runCommandLine(['plan', ...line.split(' ')], shell);
    return { code, out: out(), err: err() };
  };

  test('plans at the moment that is asked for', async () => {
    const { code, out, err } = await plan('-o json --now 2026-01-01T00:05:00Z');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      status: { terminating: 2, succeeded: 3, completedIndexes: '0-2' },
      create: [],
      delete: ['frames-3-aaaaa', 'frames-4-bbbbb'], // they have no index
      account: [],
      requeueAfterSec: null,
    });
  });

  test.each([
    ['--now yesterday', 'It must be a time such as 2026-01-01T00:00:00Z.'],
    ['--now 2026-01-01T00:00:00', 'It must be a time such as 2026-01-01T00:00:00Z.'],
    ['-o xml', 'Allowed choices are text, json, yaml.'],
    ['-f nope.json', 'error: nope.json does not exist'],
  ])('%s: exit 2', async (line, expected) => {
    const { code, out, err } = await plan(line);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test('--help has examples, on standard output', async () => {
    const { code, out, err } = await plan('--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Examples:\n  muster ');
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(110);
  });
});
