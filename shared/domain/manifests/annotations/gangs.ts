import type { JobAnnotation, Need } from './annotation.ts';
import { SECONDS } from './annotation-values.ts';

/** A hundred names take 20 s, and a task's start one or two minutes: ten minutes are for what is out of the ordinary. */
export const DEFAULT_GANG_TIMEOUT_SEC = 600;
export const DEFAULT_GANG_RESTARTS = 3;

/** Parses which indexes belong together, which is all of them; null: any other text. */
export const parseGang = (text: string): 'all' | null => (text === 'all' ? text : null);

/** Parses a number of restarts, which may be zero; null: any other text. */
export function parseGangRestarts(text: string): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : null;
}

const GANG = 'muster.run/gang';
const A_GANG: Need = { anyOf: [GANG], called: `the annotation ${GANG}: "all"` };

/** Indexes that run together or not at all; `gang-rules.ts` says what cannot be beside them. */
export const OF_GANGS = {
  /** Names are reserved when the Job is created. */
  gang: {
    key: GANG,
    explains: 'all: the indexes run together, and a name says so',
    parse: parseGang,
    rule: 'must be "all"',
    needs: [
      { anyOf: ['spec.completionMode'], is: 'Indexed' },
      {
        anyOf: ['spec.template.spec.subdomain'],
        why: 'the name that says that all indexes run is a name below it',
      },
    ],
    immutable: 'always',
  },
  /** From the first claim. */
  gangTimeout: {
    key: 'muster.run/gang-timeout-seconds',
    explains: `seconds within which all of them must run; default ${DEFAULT_GANG_TIMEOUT_SEC}`,
    ...SECONDS,
    needs: [A_GANG],
    immutable: 'never',
  },
  gangRestarts: {
    key: 'muster.run/gang-restarts',
    explains: `how often all are stopped and started again before the Job fails; default ${DEFAULT_GANG_RESTARTS}`,
    parse: parseGangRestarts,
    rule: 'must be a whole number between 0 and 999, without leading zeros',
    needs: [A_GANG],
    immutable: 'never',
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
