import type { JobAnnotation } from './annotation.ts';
import { SECONDS } from './annotation-values.ts';

/** What an attempt that infrastructure took costs. */
export type Disruptions =
  /** Exactly as in Kubernetes: it counts as failed unless podFailurePolicy ignores it. */
  | { readonly kind: 'count' }
  | {
      readonly kind: 'budget';
      /** Attempts of one index that may be lost before a loss counts as failed. */
      readonly losses: number;
      /** Spot interruptions of one index after which it runs on demand. */
      readonly spotInterruptions: number;
    };

export const DEFAULT_DISRUPTIONS = { kind: 'budget', losses: 10, spotInterruptions: 3 } as const satisfies Disruptions;
export const DEFAULT_PENDING_TIMEOUT_SEC = 900;

/** Parses the annotation: `count`, or `losses=10,spot-interruptions=3` (either part may be omitted). null: any other text. */
export function parseDisruptions(text: string): Disruptions | null {
  if (text === 'count') return { kind: 'count' };
  let losses: number = DEFAULT_DISRUPTIONS.losses;
  let spotInterruptions: number = DEFAULT_DISRUPTIONS.spotInterruptions;
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, name, digits] = /^(losses|spot-interruptions)=(\d{1,4})$/.exec(part) ?? [];
    if (name === undefined || seen.has(name)) return null;
    seen.add(name);
    if (name === 'losses') losses = Number(digits);
    else spotInterruptions = Number(digits);
  }
  return { kind: 'budget', losses, spotInterruptions };
}

/** What infrastructure may cost a Job. */
export const OF_LOSSES = {
  disruptions: {
    key: 'muster.run/disruptions',
    explains: 'what lost infrastructure costs: count, or losses=10,spot-interruptions=3, the default',
    parse: parseDisruptions,
    rule: 'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be omitted)',
    immutable: 'never',
    field: 'disruptions',
    absent: DEFAULT_DISRUPTIONS,
  },
  /** For what the Pod names (image, secret, parameter), not for capacity. */
  pendingTimeout: {
    key: 'muster.run/pending-timeout-seconds',
    explains: `seconds after which a Pod that cannot start counts as failed; default ${DEFAULT_PENDING_TIMEOUT_SEC}`,
    ...SECONDS,
    immutable: 'never',
    field: 'pendingTimeoutSec',
    absent: DEFAULT_PENDING_TIMEOUT_SEC,
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
