import { expect, test } from 'vitest';
import { admitDocument, faultLines, jobDocument } from './job-document.ts';

/** A fragment of `spec`, and all that is wrong with it, in order. */
export type SpecRow = readonly [what: string, spec: object, faults: readonly string[]];

/** A test for each row: a new Job with that fragment has exactly those faults. */
export function specRows(table: readonly SpecRow[]): void {
  test.each(table)('%s', (_, spec, faults) => {
    expect(faultLines(admitDocument(jobDocument(spec)))).toEqual(faults);
  });
}

export const indexed = (spec: object = {}) => ({ completionMode: 'Indexed', completions: 10, ...spec });
