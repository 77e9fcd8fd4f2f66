/** What Muster adds to Kubernetes' names, all under one prefix. */
const PREFIX = 'muster.run/';

export const ANNOTATIONS = {
  /** On a Job: what an attempt lost to infrastructure costs; see {@link parseDisruptions}. */
  disruptions: `${PREFIX}disruptions`,
  /** On a Job: seconds after which a Pod that cannot start (image, secret, log group) counts as failed. */
  pendingTimeout: `${PREFIX}pending-timeout-seconds`,
  /** On a Pod: the task's ARN, to look it up in ECS. */
  taskArn: `${PREFIX}task-arn`,
  /** On a Pod: what ECS reported about its end. */
  cause: `${PREFIX}cause`,
  /** On a Pod: what its end counted as, and because of which rule. */
  verdict: `${PREFIX}verdict`,
} as const;

/** In a pod template's nodeSelector: `spot` or `on-demand`. */
export const CAPACITY_SELECTOR = `${PREFIX}capacity`;

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

/** Parses a number of seconds above zero; null: any other text. */
export function parsePendingTimeout(text: string): number | null {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}
