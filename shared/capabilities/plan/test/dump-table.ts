import { expect, test } from 'vitest';
import { type DumpWish, planAt, told } from './a-dump.ts';

// What upstream's controller does in one sync with such a Job and such Pods (kubernetes-job.md 3 to 7).

type Row = readonly [because: string, sec: number, wish: DumpWish, expected: Partial<ReturnType<typeof told>>];

/** One test for each row: the plan at second `sec` for the dump `wish`. */
export const table = (rows: readonly Row[]): void => {
  test.each(rows)('%s', (_, sec, wish, expected) => expect(told(planAt(sec, wish))).toMatchObject(expected));
};

/** The spec of an Indexed Job that runs all of its indexes at once. */
export const indexed = (completions: number, more: DumpWish['spec'] = {}) => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});

/** The spec of a work queue. */
export const queue = { parallelism: 3 };

/** A plan that changes no Pods and sets no timer. */
export const NOTHING = { create: '', delete: '', account: '', requeue: null, events: '' };
