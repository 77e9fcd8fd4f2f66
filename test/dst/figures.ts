import type { Broken } from './fleet.ts';
import { ACTS } from './world/scenario-events.ts';
import { GUARANTEES } from './checks/law.ts';
import type { SeedResult } from './seed-run.ts';
import { SIGHTS } from './checks/sights.ts';
import { FAULTS } from './world/fault-rates.ts';
import { PLAYS } from './plays.ts';

const DONE = [...ACTS, ...PLAYS.flatMap(({ acts }) => acts)];
const MET = [...SIGHTS, ...PLAYS.flatMap(({ needs }) => needs.sights)];
const CHECKED = [...GUARANTEES, ...PLAYS.map(({ guarantee }) => guarantee)];

/** In how many seeds, and how often in all of them. */
export type Seen = { readonly seeds: number; readonly times: number };

/** Of fewer seeds nobody can expect that they meet everything. The gate runs 100, and must not be red because a rare thing is missing. */
const ENOUGH_SEEDS = 200;

/** What a run of many seeds came to. */
export class Figures {
  seeds = 0;
  steps = 0;
  readonly crashPoints = { requests: 0, methods: 0, calls: 0 };
  readonly broken: Broken[] = [];
  readonly #seen = new Map<string, { seeds: number; times: number }>();

  add(result: SeedResult): void {
    this.seeds++;
    this.steps += result.steps;
    this.crashPoints.requests += result.crashPoints.requests;
    this.crashPoints.methods += result.crashPoints.methods;
    this.crashPoints.calls += result.crashPoints.calls;
    for (const counts of [result.faults, result.acts, result.sights, result.checks])
      for (const [name, times] of counts) {
        const seen = this.#seen.get(name) ?? { seeds: 0, times: 0 };
        this.#seen.set(name, { seeds: seen.seeds + 1, times: seen.times + times });
      }
  }

  seen(name: string): Seen {
    return this.#seen.get(name) ?? { seeds: 0, times: 0 };
  }

  /** Kinds of fault, acts of users, and ends of attempts and Jobs that no seed has met, though there were enough of them. */
  missing(): readonly string[] {
    if (this.seeds < ENOUGH_SEEDS) return [];
    return [...FAULTS, ...DONE, ...MET, ...CHECKED].filter((name) => this.seen(name).times === 0);
  }

  get isGood(): boolean {
    return this.broken.length === 0 && this.missing().length === 0 && this.seeds > 0;
  }

  /** For people. */
  text(): string {
    return [
      table('what struck', 'strikes', FAULTS, this),
      table('what people did', 'times', DONE, this),
      table('what was met', 'times', MET, this),
      table('what was checked', 'checks', CHECKED, this),
      `where a process could die, in a seed: ${this.#aSeed('requests')} requests to the table (of ${this.#aSeed('methods')} methods), ${this.#aSeed('calls')} other calls`,
    ].join('\n');
  }

  #aSeed(what: keyof SeedResult['crashPoints']): number {
    return Math.round(this.crashPoints[what] / Math.max(1, this.seeds));
  }

  /** For machines. */
  json(): object {
    const all = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, this.seen(name)]));
    return {
      seeds: this.seeds,
      steps: this.steps,
      crashPoints: this.crashPoints,
      faults: all(FAULTS),
      acts: all(DONE),
      sights: all(MET),
      checks: all(CHECKED),
      missing: this.missing(),
      broken: this.broken,
    };
  }
}

function table(title: string, unit: string, names: readonly string[], figures: Figures): string {
  const width = Math.max(title.length, ...names.map((name) => name.length));
  const row = (name: string, seeds: string, times: string): string =>
    `${name.padEnd(width)} ${seeds.padStart(7)} ${times.padStart(10)}`;
  const rows = names.map((name) => {
    const { seeds, times } = figures.seen(name);
    return row(name, String(seeds), String(times));
  });
  return [row(title, 'seeds', unit), ...rows, ''].join('\n');
}
