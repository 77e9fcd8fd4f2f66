import { appendFileSync } from 'node:fs';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { noteSeen } from '../models/wire-check.ts';
import { type EngineName, versionOf } from './installed.ts';
import { KNOWN_WRONG, type KnownWrong } from './known-wrong.ts';

/** What became of one case: `wrong` as a row of {@link KNOWN_WRONG} says. */
export type Outcome = 'passed' | 'wrong' | 'left out' | 'failed';
/** A line of the file that `setup.ts` makes its table of. */
export type EngineRecord = {
  readonly suite: string;
  readonly engine: string;
  readonly name: string;
  readonly outcome: Outcome;
};

/** A promise that AWS keeps; `run` throws where an engine does not. */
export type EngineCase = { readonly name: string; run(url: string): Promise<void> };

/**
 * The cases of a suite on one engine, each a test. Where {@link KNOWN_WRONG} has a row, the case must fail as the row says; one
 * that passes is red, so that no row outlives what it is about.
 */
export function describeEngine(suite: string, engine: EngineName, cases: readonly EngineCase[]): void {
  const url = inject('engines')[engine];
  describe.skipIf(url === null)(`${suite} on ${engine}`, () => {
    const rows = KNOWN_WRONG.filter((row) => row.suite === suite && row.engine === engine);
    const judged = cases.map((each) => ({ ...each, row: rows.find((row) => row.cases.includes(each.name)) }));
    const isLeftOut = ({ row }: (typeof judged)[number]): boolean => row?.fails === null;

    afterAll(noteSeen);

    test('each row of known-wrong.ts is about a case of this suite', () => {
      const names = cases.map(({ name }) => name);
      expect(rows.flatMap((row) => row.cases).filter((each) => !names.includes(each))).toEqual([]);
      for (const { name } of judged.filter(isLeftOut)) record(suite, engine, name, 'left out');
    });

    test.each(judged.filter((each) => !isLeftOut(each)))('$name', async (each) => {
      const failure = await each.run(url ?? '').then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      const outcome = outcomeOf(failure, each.row);
      record(suite, engine, each.name, outcome.kind);
      expect(outcome, failure ?? 'no failure').toEqual({ kind: each.row === undefined ? 'passed' : 'wrong' });
    });
  });
}

/**
 * What a case with this failure (null: none) counts as. A row that expects a failure is broken by a pass, and by another failure.
 */
export function outcomeOf(
  failure: string | null,
  row: Pick<KnownWrong, 'fails' | 'because'> | undefined,
): { readonly kind: 'passed' | 'wrong' } | { readonly kind: 'failed'; readonly message: string } {
  if (row === undefined || row.fails === null)
    return failure === null ? { kind: 'passed' } : { kind: 'failed', message: failure };
  if (failure === null)
    return { kind: 'failed', message: `the engine is right now; its row in known-wrong.ts must go (${row.because})` };
  if (row.fails.test(failure)) return { kind: 'wrong' };
  return { kind: 'failed', message: `it fails otherwise than ${String(row.fails)}: ${failure}` };
}

/** Adds a line for the table that the run prints at its end; the last of one case counts. */
export function record(suite: string, engine: EngineName | 'node24', name: string, outcome: Outcome): void {
  const line: EngineRecord = { suite, engine: `${engine} ${versionOf(engine)}`.trim(), name, outcome };
  appendFileSync(inject('records'), `${JSON.stringify(line)}\n`);
}
