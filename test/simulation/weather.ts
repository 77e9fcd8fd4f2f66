import type { Random } from './random.ts';

/** How often each kind of fault strikes, as probabilities; all zero once the weather has cleared. */
export type Weather = {
  /** a handler dies, before or after the port call that it waits for took effect */
  readonly crash: number;
  /** a call throws although it took effect, or without */
  readonly lostAnswer: number;
  /** a commit is refused though nobody else was first (TransactionConflict) */
  readonly conflict: number;
  readonly messageDropped: number;
  readonly messageDoubled: number;
  readonly messageDelayMaxMs: number;
  readonly eventDropped: number;
  readonly eventDoubled: number;
  readonly eventDelayMaxMs: number;
  readonly refused: number;
  readonly throttled: number;
  readonly clockSkewMaxMs: number;
};

/** Everything that can strike, by the name under which a run counts it. */
export const FAULTS = [
  'crash before',
  'crash after',
  'call never arrived',
  'answer lost',
  'conflict',
  'message dropped',
  'message doubled',
  'message late',
  'message given up',
  'delete lost',
  'event dropped',
  'event doubled',
  'event late',
  'refused',
  'throttled',
  'clock skewed',
  'outage',
  'stranger',
] as const;
export type Fault = (typeof FAULTS)[number];

export const CALM: Weather = {
  crash: 0,
  lostAnswer: 0,
  conflict: 0,
  messageDropped: 0,
  messageDoubled: 0,
  messageDelayMaxMs: 0,
  eventDropped: 0,
  eventDoubled: 0,
  eventDelayMaxMs: 0,
  refused: 0,
  throttled: 0,
  clockSkewMaxMs: 0,
};

/** Each seed has weather of its own: some kinds of fault not at all, some rarely, some often. */
export function weatherOf(random: Random): Weather {
  const rate = (often: number): number => random.pick([0, often / 5, often]);
  return {
    crash: rate(0.05),
    lostAnswer: rate(0.05),
    conflict: rate(0.2),
    messageDropped: rate(0.1),
    messageDoubled: rate(0.3),
    messageDelayMaxMs: random.pick([0, 500, 90_000]),
    eventDropped: rate(0.1),
    eventDoubled: rate(0.5),
    eventDelayMaxMs: random.pick([0, 2_000, 60_000]),
    refused: rate(0.1),
    throttled: rate(0.2),
    clockSkewMaxMs: random.pick([0, 3_000]),
  };
}
