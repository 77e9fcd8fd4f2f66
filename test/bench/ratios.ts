import { type BudgetRow } from './budget.ts';

export type RatioRow = {
  readonly what: string;
  readonly on: string;
  readonly here: number;
  /** null: the other checkout has no such figure */
  readonly there: number | null;
  /** here over there; null where there is none, or nothing to divide by */
  readonly ratio: number | null;
};

/** The same rows of two checkouts, side by side: what one has and the other lacks is kept. Pure. */
export function ratiosOf(here: readonly BudgetRow[], there: readonly BudgetRow[]): readonly RatioRow[] {
  const theirs = new Map(there.map((row) => [keyOf(row), row.figure]));
  return here.map((row) => {
    const figure = theirs.get(keyOf(row)) ?? null;
    const ratio = figure === null || figure === 0 ? null : row.figure / figure;
    return { what: row.what, on: row.on, here: row.figure, there: figure, ratio };
  });
}

const keyOf = ({ what, on }: BudgetRow): string => `${what} / ${on}`;
