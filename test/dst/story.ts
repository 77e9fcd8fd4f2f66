import type { EpochMs } from '../../shared/domain/base/time.ts';
import type { Violation } from './checks/law.ts';
import type { Fault } from './world/fault-rates.ts';

/** Whom a line is about; null: all of them. */
export type About = {
  readonly uids: readonly string[] | null;
  readonly indexes: readonly number[] | null;
  /** Left out where only one index is asked for. */
  readonly isMinor?: boolean;
};
export const ALL: About = { uids: null, indexes: null };

type Line = About & {
  readonly at: EpochMs;
  /** `reconcile#3`, `ECS`, `user`, `sky` */
  readonly who: string;
  readonly what: string;
  readonly fault: Fault | null;
};

/** Everything that happens in a run, in words; kept only where somebody will read it. */
export class Story {
  readonly #lines: Line[] = [];
  readonly #start: EpochMs;

  constructor(start: EpochMs) {
    this.#start = start;
  }

  tell(at: EpochMs, who: string, what: string, about: About = ALL, fault: Fault | null = null): void {
    this.#lines.push({ at, who, what, fault, ...about });
  }

  all(): readonly string[] {
    return this.#lines.map((line) => this.#text(line));
  }

  /** Only what concerns the Job and the indexes of the violation: their lines, and the faults that struck those who worked on it. */
  of({ uid, indexes }: Violation): readonly string[] {
    const lines = this.#lines.filter((line) => {
      if (indexes !== null && line.isMinor === true && line.fault === null) return false;
      if (uid !== null && line.uids !== null && !line.uids.includes(uid)) return false;
      return indexes === null || line.indexes === null || line.indexes.some((index) => indexes.includes(index));
    });
    return folded(lines.map((line) => this.#text(line)));
  }

  #text({ at, who, what, fault }: Line): string {
    const mark = fault === null ? '' : `  [${fault}]`;
    return `${sinceText(at - this.#start)}  ${who.padEnd(13)} ${what}${mark}`;
  }
}

const LINES_MAX = 160;

/** The beginning and, above all, the end. */
function folded(lines: readonly string[]): readonly string[] {
  if (lines.length <= LINES_MAX) return lines;
  const head = Math.floor(LINES_MAX / 4);
  const left = lines.length - LINES_MAX;
  return [...lines.slice(0, head), `        ... ${left} lines ...`, ...lines.slice(lines.length - (LINES_MAX - head))];
}

/** Hours:minutes:seconds.milliseconds. */
function sinceText(ms: number): string {
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `+${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(Math.floor(ms % 1000)).padStart(3, '0')}`;
}
