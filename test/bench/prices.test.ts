import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { costOfMillion, idleMonth, sumOf } from './prices.ts';

const USE = { writeUnits: 2, readUnits: 0.5, sqsRequests: 3, invocations: 0.01, cpuMs: 4 };
const dollarsOf = (what: string, use = USE): number | undefined =>
  costOfMillion(use, 'unlimited').find((line) => line.what === what)?.dollars;

describe('what a million indexes cost', () => {
  test('units and requests at their price a million', () => {
    expect(dollarsOf('DynamoDB, writes')).toBeCloseTo(1.25);
    expect(dollarsOf('DynamoDB, reads')).toBeCloseTo(0.0625);
    expect(dollarsOf('SQS')).toBeCloseTo(1.2);
    expect(dollarsOf('Lambda, invocations')).toBeCloseTo(0.002);
    expect(dollarsOf('EventBridge, events of ECS')).toBe(0);
  });

  test('a second of CPU costs what 1.73 GB-s do, whatever size the function has', () => {
    expect(dollarsOf('Lambda, CPU')).toBeCloseTo(4_000 * 1.7275 * 0.0000133334, 4);
    expect(dollarsOf('Lambda, CPU', { ...USE, cpuMs: 8 })).toBeCloseTo(2 * (dollarsOf('Lambda, CPU') ?? 0));
  });

  test('at the stack’s pace functions wait, and batches are not full', () => {
    const paced = new Map(costOfMillion(USE).map(({ what, dollars }) => [what, dollars]));
    // A million at 18 a second are 55,556 s, of two times half a gigabyte, and of three times a quarter.
    expect(paced.get('Lambda, reconcile waiting for more facts')).toBeCloseTo(55_556 * 0.0000133334, 3);
    expect(paced.get('Lambda, dispatch waiting for its turn')).toBeCloseTo(41_667 * 0.0000133334, 3);
    expect(dollarsOf('Lambda, dispatch waiting for its turn')).toBe(0);
    for (const what of ['SQS', 'Lambda, invocations', 'Lambda, logs'])
      expect([what, (paced.get(what) ?? 0) > (dollarsOf(what) ?? 0)]).toEqual([what, true]);
    expect(paced.get('DynamoDB, writes')).toBe(dollarsOf('DynamoDB, writes'));
  });

  test('early counting is one more event, which the passes find that come anyway', () => {
    const lineOf = (counting: 'usual' | 'early', what: string) =>
      costOfMillion(USE, 'stack', counting).find((line) => line.what === what);
    const events = 'EventBridge, events of ECS';
    expect([lineOf('usual', events)?.count, lineOf('early', events)?.count]).toEqual(['2.00 M', '3.00 M']);
    // 36 messages a second in batches of six, and 54 in batches of nine, are six passes a second.
    const invocations = 'Lambda, invocations';
    expect(lineOf('early', invocations)?.dollars).toBeCloseTo(lineOf('usual', invocations)?.dollars ?? 0);
    // 3 measured; and 3 ÷ 9 receives that find nothing, and twice as much of what nine are short of ten.
    expect(lineOf('early', 'SQS')?.dollars).toBeCloseTo(0.4 * (3 + 3 / 9 + 2 * 3 * (1 / 9 - 1 / 10)));
  });

  test('what is paid for by the hour, and Fargate, is beside the sum', () => {
    const lines = costOfMillion(USE);
    const fargate = lines.find(({ what }) => what.startsWith('Fargate'));
    expect(fargate).toMatchObject({ beside: true });
    expect(fargate?.dollars).toBeGreaterThan(1_600);
    expect(sumOf(lines)).toBeLessThan(5);
    expect(sumOf(lines)).toBeCloseTo(
      lines.filter(({ beside }) => beside !== true).reduce((sum, { dollars }) => sum + dollars, 0),
    );
  });
});

test('the page about deployment shows what is computed here', () => {
  const page = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  const shown = new Map(
    [...page.matchAll(/^\| ([^|]+) \| [^|]* \| ([\d.]+) \|$/gm)].map(([, what = '', dollars]) => [what, dollars]),
  );
  for (const { what, dollars } of idleMonth()) expect([what, shown.get(what)]).toEqual([what, dollars.toFixed(2)]);
  expect(page).toContain(`| **sum** | | **${sumOf(idleMonth()).toFixed(2)}** |`);
});
