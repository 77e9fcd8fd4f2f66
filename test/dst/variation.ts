import { FAULTS, type Fault } from './world/fault-rates.ts';

/** How a run differs from what its seed says: what was left out to make it smaller. */
export type Variation = {
  /** Kinds of fault that never strike. */
  readonly without: readonly Fault[];
  /** Happenings that do not happen, by their number in the seed. */
  readonly skip: readonly number[];
  /** At most so many indexes; null: as the seed has it. */
  readonly completions: number | null;
  readonly parallelism: number | null;
  /** The weather clears so long after the start; null: after two hours. */
  readonly faultsMs: number | null;
};

export const AS_IS: Variation = { without: [], skip: [], completions: null, parallelism: null, faultsMs: null };

/** On the command line a fault is written in one word: `crash-before`. */
const wordOf = (fault: Fault): string => fault.replaceAll(' ', '-');

/** The faults that the words name: whole names, or the beginning of some (`crash`, `event`). Throws where there is none. */
export function faultsNamed(words: string): readonly Fault[] {
  return words.split(',').flatMap((word) => {
    const whole = FAULTS.filter((fault) => wordOf(fault) === word);
    const named = whole.length > 0 ? whole : FAULTS.filter((fault) => wordOf(fault).startsWith(word));
    if (word === '' || named.length === 0)
      throw new Error(`no fault is called ${word}; there are ${FAULTS.map(wordOf).join(', ')}`);
    return named;
  });
}

/** The command that runs this seed once more, exactly. */
export function replayOf(seed: number, { without, skip, completions, parallelism, faultsMs }: Variation): string {
  const options = [
    without.length === 0 ? '' : ` --without ${without.map(wordOf).join(',')}`,
    skip.length === 0 ? '' : ` --skip ${skip.join(',')}`,
    completions === null ? '' : ` --completions ${completions}`,
    parallelism === null ? '' : ` --parallelism ${parallelism}`,
    faultsMs === null ? '' : ` --faults-sec ${faultsMs / 1000}`,
  ];
  return `npm run dst -- --seed ${seed}${options.join('')}`;
}
