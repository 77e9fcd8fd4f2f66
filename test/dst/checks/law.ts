/** The guarantees of docs/guarantees.md that a run can break; `bug`: an invariant of the code tripped, or a TypeError. */
export const GUARANTEES = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7', 'G8', 'G9', 'G10', 'G13', 'G14', 'G15'] as const;
export type Guarantee = (typeof GUARANTEES)[number] | 'bug';

/** A guarantee that did not hold, and of whom. */
export type Violation = {
  readonly guarantee: Guarantee;
  readonly what: string;
  readonly uid: string | null;
  readonly index: number | null;
};

/** What each guarantee forbids, how often that was looked at, and what was found. */
export class Law {
  readonly violations: Violation[] = [];
  readonly checks = new Map<Guarantee, number>();
  readonly #broken: (violation: Violation) => void;

  constructor(broken: (violation: Violation) => void = () => undefined) {
    this.#broken = broken;
  }

  /** `holds` is what must never be. */
  forbid(holds: boolean, guarantee: Guarantee, what: () => string, of: Concerned = NOBODY): void {
    this.checks.set(guarantee, (this.checks.get(guarantee) ?? 0) + 1);
    if (!holds) return;
    const violation = { guarantee, what: what(), uid: of.uid ?? null, index: of.index ?? null };
    this.violations.push(violation);
    this.#broken(violation);
  }

  /** The same law, of one Job. */
  of(uid: string): JobLaw {
    return (holds, guarantee, what, index) =>
      this.forbid(holds, guarantee, what, index === undefined ? { uid } : { uid, index });
  }
}

type Concerned = { readonly uid?: string; readonly index?: number };
const NOBODY: Concerned = {};

export type JobLaw = (holds: boolean, guarantee: Guarantee, what: () => string, index?: number) => void;

export const textOf = ({ guarantee, what }: Violation): string => `${guarantee}: ${what}`;
