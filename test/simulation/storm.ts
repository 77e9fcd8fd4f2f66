import type { EpochMs } from '../../shared/domain/brand.ts';
import { Random } from './random.ts';
import { CALM, type Fault, type Gale, type Weather } from './weather.ts';

/** The weather at work: what strikes, and how often it has. Each kind of fault has luck of its own, and can be left out. */
export class Storm {
  weather: Weather;
  readonly faults = new Map<Fault, number>();
  readonly #seed: number;
  readonly #without: ReadonlySet<Fault>;
  readonly #luck = new Map<Fault, Random>();
  readonly #galesUntil = new Map<Gale, EpochMs>();

  constructor(weather: Weather, seed: number, without: ReadonlySet<Fault> = new Set()) {
    this.weather = weather;
    this.#seed = seed;
    this.#without = without;
  }

  clear(): void {
    this.weather = CALM;
  }

  strikes(fault: Fault, probability: number): boolean {
    if (probability === 0 || this.#without.has(fault) || !this.luck(fault).chance(probability)) return false;
    this.struck(fault);
    return true;
  }

  struck(fault: Fault): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  times(fault: Fault): number {
    return this.faults.get(fault) ?? 0;
  }

  /** How late something comes; 0 mostly means that it does not. */
  delayMs(fault: Fault, maxMs: number): number {
    if (maxMs === 0 || this.#without.has(fault)) return 0;
    const delayMs = this.luck(fault).between(0, maxMs);
    if (delayMs > 0) this.struck(fault);
    return delayMs;
  }

  allows(fault: Fault): boolean {
    return !this.#without.has(fault);
  }

  rise(gale: Gale, until: EpochMs): void {
    if (this.allows(gale)) this.#galesUntil.set(gale, until);
  }

  /** The gale blows, and meets this call (as likely as `share`). */
  blows(gale: Gale, now: EpochMs, share = 1): boolean {
    const until = this.#galesUntil.get(gale);
    if (until === undefined || until <= now || (share < 1 && !this.luck(gale).chance(share))) return false;
    this.struck(gale);
    return true;
  }

  luck(fault: Fault): Random {
    const known = this.#luck.get(fault);
    if (known !== undefined) return known;
    const fresh = new Random(this.#seed, fault);
    this.#luck.set(fault, fresh);
    return fresh;
  }
}
