/** The guarantees of docs/guarantees.md that a run can break; `bug`: an invariant of the code tripped, or a TypeError. */
export const GUARANTEES = [
  'G1',
  'G2',
  'G3',
  'G4',
  'G5',
  'G6',
  'G7',
  'G8',
  'G9',
  'G10',
  'G13',
  'G14',
  'G15',
  'G16',
  'G17',
  'G18',
  'G19',
  'G20',
  'G22',
  'G23',
  'G24',
  'G26',
] as const;
/** Those that plays check. */
export type PlayedGuarantee = 'G21' | 'G25' | 'G27' | 'G28' | 'G29';
export type Guarantee = (typeof GUARANTEES)[number] | PlayedGuarantee | 'bug';

/** A guarantee that did not hold, and of whom. */
export type Violation = {
  readonly guarantee: Guarantee;
  readonly what: string;
  readonly uid: string | null;
  /** null: no index in particular. */
  readonly indexes: readonly number[] | null;
};

/** What each guarantee forbids, how often that was looked at, and what was found. */
export class Law {
  readonly violations: Violation[] = [];
  readonly checks = new Map<Guarantee, number>();
  readonly #broken: (violation: Violation) => void;

  constructor(broken: (violation: Violation) => void = () => undefined) {
    this.#broken = broken;
  }

  /** `isBroken`: what must never be is the case. */
  forbid(isBroken: boolean, guarantee: Guarantee, what: () => string, of: Concerned = NOBODY): void {
    this.checks.set(guarantee, (this.checks.get(guarantee) ?? 0) + 1);
    if (!isBroken) return;
    const { uid = null, indexes = null } = of;
    const violation = { guarantee, what: what(), uid, indexes };
    this.violations.push(violation);
    this.#broken(violation);
  }

  /** The same law, of one Job. */
  of(uid: string): Forbid {
    return (isBroken, guarantee, what, ...indexes) =>
      this.forbid(isBroken, guarantee, what, indexes.length === 0 ? { uid } : { uid, indexes });
  }
}

type Concerned = { readonly uid?: string; readonly indexes?: readonly number[] };
const NOBODY: Concerned = {};

/** Looks whether a Job breaks a guarantee, and at which indexes. */
export type Forbid = (isBroken: boolean, guarantee: Guarantee, what: () => string, ...indexes: number[]) => void;

export const textOf = ({ guarantee, what }: Violation): string => `${guarantee}: ${what}`;
