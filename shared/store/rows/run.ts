import type { EpochMs } from '../../domain/base/time.ts';
import { comesBefore } from '../../domain/base/text-order.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import type { Program, TimedRequest } from './program.ts';
import { type Row, type RowKey, type Rows, isExpired } from './row.ts';
import { TABLE_LIMITS } from './table-limits.ts';

/** An engine, and what programs need beside it. */
export type Table = {
  readonly rows: Rows;
  /** The clock by which rows expire. */
  readonly now: () => EpochMs;
  /** Text of 8 to 36 characters that no other writer uses: names one write, to recognize it. */
  readonly newToken: () => string;
};

/**
 * Runs a program against a table. Rows whose time has passed are left out of what it reads.
 *
 * @returns what the program returns
 * @throws what the engine throws, unless the program catches it
 */
export async function run<T>(table: Table, program: Program<T>): Promise<T> {
  let step = program.next();
  while (step.done !== true) {
    const request = step.value;
    if (request.kind === 'now') step = program.next(table.now());
    else if (request.kind === 'token') step = program.next(table.newToken());
    else if (request.kind === 'storedBytes') step = program.next(table.rows.storedBytes(request.body));
    else {
      let answer: unknown;
      try {
        answer = await carryOut(request, table);
      } catch (error) {
        step = program.throw(error);
        continue;
      }
      step = program.next(answer);
    }
  }
  return step.value;
}

/** Methods of a port, each of which is a program. */
export type Methods<P> = {
  readonly [Name in keyof P]: P[Name] extends (...args: infer A) => Program<infer T>
    ? (...args: A) => Promise<T>
    : never;
};

/** The methods that run these programs against a table, by their names. */
export const methodsOf = <P extends Readonly<Record<string, (...args: never[]) => Program<unknown>>>>(
  table: Table,
  programs: P,
): Methods<P> =>
  Object.fromEntries(
    Object.entries(programs).map(([name, program]) => [name, async (...args: never[]) => run(table, program(...args))]),
  ) as Methods<P>;

async function carryOut(request: TimedRequest, table: Table): Promise<unknown> {
  const { rows, now } = table;
  switch (request.kind) {
    case 'get': {
      const keys = request.keys.filter(isKey);
      if (keys.length === 0) return { rows: [], unread: [] };
      const answer = await rows.get(keys);
      return { rows: alive(answer.rows, now()), unread: answer.unread };
    }
    case 'range': {
      const { partition, from, to } = request.range;
      // DynamoDB refuses a range that ends before it begins, and keys that are too long for any row.
      const isPossible = !comesBefore(to, from) && [from, to].every((sort) => isKey({ partition, sort }));
      if (!isPossible) return { rows: [], next: null };
      const page = await rows.range(request.range);
      return { rows: alive(page.rows, now()), next: page.next };
    }
    case 'write':
      return rows.write(request.write);
    case 'transact':
      return rows.transact(request.token, request.writes);
    case 'batch':
      return rows.batch(request.writes);
    case 'alarms':
      return rows.alarms(request.range);
    case 'pause':
      return rows.pause(request.ms);
    case 'all':
      return runAll(request.programs, table);
    default:
      return unreachable(request);
  }
}

/** A few at a time, in order; answers in their order. */
async function runAll(programs: readonly Program<unknown>[], table: Table): Promise<unknown[]> {
  const answers: unknown[] = [];
  const rest = programs.entries();
  const worker = async (): Promise<void> => {
    for (const [nth, program] of rest) answers[nth] = await run(table, program);
  };
  await Promise.all(Array.from({ length: Math.min(table.rows.atOnce, programs.length) }, worker));
  return answers;
}

/** Rows with a fault are kept: the reader decides. */
const alive = (rows: readonly Row[], now: EpochMs): readonly Row[] =>
  rows.some((row) => isExpired(row, now)) ? rows.filter((row) => !isExpired(row, now)) : rows;

/** Whether a row can have this key. Names are shorter, but a request may ask for anything. */
const isKey = ({ partition, sort }: RowKey): boolean =>
  fits(partition, TABLE_LIMITS.partitionBytes) && fits(sort, TABLE_LIMITS.sortBytes);

/** A unit of JavaScript's takes at most three bytes. */
const fits = (text: string, bytes: number): boolean => text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
