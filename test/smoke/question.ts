import type { Ground } from './ground.ts';

/** What has been seen, in a few words, and whether it is what we assume of AWS. */
export type Verdict = { readonly as: 'assumed' | 'not assumed' | 'not asked'; readonly seen: string };

/** What we assume of AWS, how it is observed through the API, and a pure judgement of what was observed. */
export type Question<Seen> = {
  readonly name: string;
  readonly asks: string;
  readonly assumed: string;
  /** Throws NotAsked if it cannot be asked here, and anything else if what it waits for does not come. */
  readonly observe: (ground: Ground) => Promise<Seen>;
  readonly judge: (seen: Seen) => Verdict;
};

/** A question whose observation is nobody else's business. */
export type Askable = Pick<Question<unknown>, 'name' | 'asks' | 'assumed'> & {
  readonly ask: (ground: Ground) => Promise<Verdict>;
};

export const askable = <Seen>({ observe, judge, ...question }: Question<Seen>): Askable => ({
  ...question,
  ask: async (ground) => judge(await observe(ground)),
});

/** As assumed if all of `right` hold; `seen` is shown in either case. */
export const verdict = (right: readonly boolean[], seen: string): Verdict => ({
  as: right.every(Boolean) ? 'assumed' : 'not assumed',
  seen,
});
