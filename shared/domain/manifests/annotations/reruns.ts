import type { JobAnnotation } from './annotation.ts';

const COPIES = ['rerun', 'submission'] as const;

/** Which indexes run. `selection-rules.ts` reads both: what they may be depends on the spec. */
export const OF_RERUNS = {
  indexes: {
    key: 'muster.run/indexes',
    explains: '3,7-9: only these indexes run',
    immutable: 'always',
    leftOutOf: COPIES,
  },
  rerunOf: {
    key: 'muster.run/rerun-of',
    explains: 'a Job whose successes are not run again',
    immutable: 'always',
    leftOutOf: COPIES,
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
