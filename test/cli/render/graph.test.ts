import { describe, expect, test } from 'vitest';
import { graphDot, graphMermaid, graphObject } from '../../../cli/render/graph-forms.ts';
import { graphTree } from '../../../cli/render/graph-tree.ts';
import {
  type GraphJob,
  type GraphState,
  dependenciesOf,
  dependenciesText,
  graphOf,
  inOrder,
} from '../../../shared/domain/manifests/job-graph.ts';
import { themeOf } from '../../../cli/render/theme.ts';

/** A Job written as `name after indexes`, with `-` for neither. */
const aJob = (text: string, wish: Partial<GraphJob> = {}): GraphJob => {
  const [name = '', after = '-', indexes = '-'] = text.split(' ');
  const annotations = {
    ...(after === '-' ? {} : { 'muster.run/after': after }),
    ...(indexes === '-' ? {} : { 'muster.run/after-indexes': indexes }),
  };
  return { name, state: 'held', succeeded: 0, total: 1, dependencies: dependenciesOf(annotations), ...wish };
};
const jobs = (...texts: readonly string[]): readonly GraphJob[] => texts.map((text) => aJob(text));
const namesOf = (graph: readonly GraphJob[]): readonly string[] => graph.map(({ name }) => name);
const chain = (length: number): readonly GraphJob[] =>
  Array.from({ length }, (_, i) => aJob(i === length - 1 ? `job-${i}` : `job-${i} job-${i + 1}`));

const plain = (graph: readonly GraphJob[], columns: number | null = null): readonly string[] =>
  graphTree(graph, columns, themeOf(false, true));

describe('order', () => {
  test.each<[readonly string[], readonly string[]]>([
    [
      ['c b', 'b a', 'a'],
      ['a', 'b', 'c'],
    ],
    [
      ['z', 'y', 'x'],
      ['z', 'y', 'x'],
    ],
    [
      ['d b,c', 'c a', 'b - a/2', 'a', 'e'],
      ['a', 'b', 'c', 'd', 'e'],
    ],
    [['a elsewhere'], ['a']],
  ])('%j: %j', (given, expected) => {
    const { order, cycle } = inOrder(jobs(...given));
    expect(namesOf(order)).toEqual(expected);
    expect(cycle).toBeNull();
  });

  test.each<[readonly string[], readonly string[]]>([
    [['a a'], ['a']],
    [
      ['a b', 'b a'],
      ['a', 'b'],
    ],
    [
      ['x a', 'a b', 'b - c', 'c a:failed', 'd'],
      ['a', 'b', 'c'],
    ],
  ])('%j go in a circle: %j', (given, expected) => {
    const { order, cycle } = inOrder(jobs(...given));
    expect(cycle).toEqual(expected);
    expect(namesOf(order).toSorted()).toEqual(namesOf(jobs(...given)).toSorted());
  });

  test('a chain of 20,000 Jobs, and a fan of as many', () => {
    expect(namesOf(inOrder(chain(20_000)).order).slice(0, 2)).toEqual(['job-19999', 'job-19998']);
    const fan = [...Array.from({ length: 20_000 }, (_, i) => aJob(`leaf-${i} root`)), aJob('root')];
    expect(namesOf(graphOf(fan, ['leaf-7'])).slice(0, 2)).toEqual(['root', 'leaf-0']);
  });
});

describe('which Jobs are shown', () => {
  const all = jobs('alone', 'a', 'b a', 'c b', 'other', 'd other,nowhere');

  test('without names: all that wait or are waited for, and what is missing', () => {
    expect(namesOf(graphOf(all, null))).toEqual(['nowhere', 'a', 'b', 'c', 'other', 'd']);
    expect(graphOf(all, null)[0]).toMatchObject({ state: 'missing', total: null });
    expect(graphOf(jobs('alone'), null)).toEqual([]);
  });

  test('with names: those, and all that are connected with them', () => {
    expect(namesOf(graphOf(all, ['b']))).toEqual(['a', 'b', 'c']);
    expect(namesOf(graphOf(all, ['alone', 'nowhere']))).toEqual(['nowhere', 'alone', 'other', 'd']);
  });

  test('annotations that no server would take say nothing', () => {
    expect(dependenciesText(dependenciesOf({ 'muster.run/after': 'A', 'muster.run/after-indexes': 'b/0' }))).toBe('');
  });
});

const FLOW = graphOf(
  [
    aJob('prepare', { state: 'complete', succeeded: 1 }),
    aJob('fetch', { state: 'running', succeeded: 11, total: 20 }),
    aJob('map prepare,fetch:finished', { total: 200 }),
    aJob('reduce - map/2', { state: 'waiting', total: 100 }),
    aJob('report reduce'),
    aJob('send report,nowhere'),
    aJob('clean reduce:finished', { total: null }),
  ],
  null,
);

describe('the tree', () => {
  test('each Job below the last of those that it waits for', () => {
    expect(plain(FLOW)).toEqual([
      'JOB         STATE      SUCCEEDED   AFTER',
      'nowhere     missing',
      'prepare     complete   1/1',
      'fetch       running    11/20',
      '↓ map       held       0/200       prepare, fetch:finished',
      '↓ reduce    waiting    0/100       by index: map/2',
      '├─ report   held       0/1         reduce',
      '│  ↓ send   held       0/1         report, nowhere',
      '└─ clean    held       0           reduce:finished',
    ]);
  });

  test('fits a terminal of 80 columns with the longest names, and says the rest first', () => {
    const names = [1, 2, 3].map((i) => `${'x'.repeat(62)}${i}`);
    const lines = plain(graphOf([aJob(names[0]!), aJob(`${names[1]} ${names[0]}`), aJob(names[2]!)], names), 80);
    expect(lines).toEqual([
      'JOB                              STATE   SUCCEEDED   AFTER',
      `${'x'.repeat(15)}…${'x'.repeat(13)}1   held    0/1`,
      `↓ ${'x'.repeat(14)}…${'x'.repeat(12)}2   held    0/1         ${'x'.repeat(26)}`,
      `${'x'.repeat(15)}…${'x'.repeat(13)}3   held    0/1`,
    ]);
    for (const line of lines) expect(line.length).toBeLessThan(80);
  });

  test('letters where the terminal has no shapes, and colours where it has them', () => {
    const [, , , , map, , report, , clean] = graphTree(FLOW, 80, themeOf(false, false));
    expect([map, report, clean].map((line) => line?.slice(0, 9))).toEqual(['v map    ', '|- report', '`- clean ']);
    expect(graphTree(FLOW, 80, themeOf(true, true))[2]).toContain('\u001B[32mcomplete');
  });

  test('a circle, of Jobs that were there before the server looked, is shown all the same', () => {
    expect(plain(graphOf(jobs('a b', 'b a'), null)).slice(1)).toEqual([
      'b     held    0/1         a',
      '↓ a   held    0/1         b',
    ]);
  });

  test('a deep graph does not run off to the right', () => {
    const deep = Array.from({ length: 100 }, (_, i) => [
      aJob(i === 0 ? 'step-0' : `step-${i} step-${i - 1}`),
      aJob(`side-${i} step-${i}`),
    ]).flat();
    const lines = plain(graphOf(deep, null));
    expect(lines).toHaveLength(201);
    expect(Math.max(...lines.map((line) => line.indexOf('-')))).toBeLessThan(40);
  });
});

describe('for other programs', () => {
  test('Graphviz', () => {
    const text = graphDot(FLOW);
    expect(text).toContain('"fetch" -> "map" [label="finished"];');
    expect(text).toContain('"prepare" -> "map";');
    expect(text).toContain('"map" -> "reduce" [label="index by index, 2 each", style=dashed];');
    expect(text).toContain(String.raw`"map" [label="map\nheld 0/200", style="rounded,filled"`);
    expect(text).toContain(String.raw`"nowhere" [label="nowhere\nmissing", style="rounded,filled,dashed"`);
    expect(graphDot([aJob('a', { name: String.raw`a"b\c` })])).toContain(
      String.raw`"a\"b\\c" [label="a\"b\\c\nheld 0/1"`,
    );
  });

  test('Mermaid', () => {
    const graph = graphOf(jobs('end', 'graph end', 'x - end'), null);
    expect(graphMermaid(graph)).toBe(
      [
        'flowchart LR',
        '  job0["end<br/>held 0/1"]:::held',
        '  job1["graph<br/>held 0/1"]:::held',
        '  job2["x<br/>held 0/1"]:::held',
        '  job0 --> job1',
        '  job0 -.->|"index by index"| job2',
        '  classDef held fill:#f2f2f2,stroke:#8c8c8c,color:#222',
        '',
      ].join('\n'),
    );
    expect(graphMermaid([aJob('a', { name: 'a"<b>#' })])).toContain('["a#34;#60;b#62;#35;<br/>held 0/1"]');
  });

  test('every state has a style', () => {
    const states: readonly GraphState[] = ['missing', 'held', 'waiting', 'running', 'suspended', 'ending', 'complete'];
    for (const state of states) expect(graphMermaid([aJob('a', { state })])).toContain(`  classDef ${state} fill:#`);
  });

  test('an object', () => {
    expect(graphObject('team', FLOW)).toMatchObject({
      kind: 'JobGraph',
      metadata: { namespace: 'team' },
      jobs: [
        { name: 'nowhere', state: 'missing' },
        { name: 'prepare', state: 'complete', succeeded: 1, total: 1 },
        { name: 'fetch' },
        { name: 'map', after: 'prepare, fetch:finished' },
        { name: 'reduce', afterIndexes: 'map/2', total: 100 },
        { name: 'report' },
        { name: 'send' },
        { name: 'clean', state: 'held', succeeded: 0 },
      ],
    });
  });
});
