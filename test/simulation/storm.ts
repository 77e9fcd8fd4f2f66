import type { Random } from './random.ts';
import { CALM, type Fault, type Weather } from './weather.ts';

/** The weather at work: what strikes, and how often it has. */
export class Storm {
  weather: Weather;
  readonly faults = new Map<Fault, number>();
  readonly #random: Random;

  constructor(weather: Weather, random: Random) {
    this.weather = weather;
    this.#random = random;
  }

  clear(): void {
    this.weather = CALM;
  }

  strikes(fault: Fault, probability: number): boolean {
    if (probability === 0 || !this.#random.chance(probability)) return false;
    this.struck(fault);
    return true;
  }

  struck(fault: Fault): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  /** How late something comes; 0 mostly means that it does not. */
  delayMs(fault: Fault, maxMs: number): number {
    const delayMs = this.#random.between(0, maxMs);
    if (delayMs > 0) this.struck(fault);
    return delayMs;
  }
}
