import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { Random } from '../random.ts';
import { CALM, type Fault, type Outage, type FaultRates } from './fault-rates.ts';

/** The weather at work: what strikes, and how often it has. Each kind of fault has luck of its own, and can be left out. */
export class FaultInjector {
  faultRates: FaultRates;
  readonly faults = new Map<Fault, number>();
  readonly #seed: number;
  readonly #without: ReadonlySet<Fault>;
  readonly #luck = new Map<Fault, Random>();
  readonly #outagesUntil = new Map<Outage, EpochMs>();

  constructor(faultRates: FaultRates, seed: number, without: ReadonlySet<Fault> = new Set()) {
    this.faultRates = faultRates;
    this.#seed = seed;
    this.#without = without;
  }

  clear(): void {
    this.faultRates = CALM;
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

  rise(outage: Outage, until: EpochMs): void {
    if (this.allows(outage)) this.#outagesUntil.set(outage, until);
  }

  /** The gale blows, and meets this call (as likely as `share`). */
  blows(outage: Outage, now: EpochMs, share = 1): boolean {
    const until = this.#outagesUntil.get(outage);
    if (until === undefined || until <= now || (share < 1 && !this.luck(outage).chance(share))) return false;
    this.struck(outage);
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
