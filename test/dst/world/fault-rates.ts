import type { Random } from '../random.ts';

/** How often each kind of fault strikes, as probabilities; all zero once the weather has cleared. */
export type FaultRates = {
  /** a handler dies, before or after the request or call that it waits for took effect */
  readonly crash: number;
  /** a call throws although it took effect, or without */
  readonly lostAnswer: number;
  /** RunTask answers only after seconds, when the task may run already, or have stopped */
  readonly answerLate: number;
  /** the SDK repeats a write whose answer was lost: the row that it has written itself refuses it */
  readonly requestRepeated: number;
  /** a write or a transaction is refused because of another transaction in progress (TransactionConflict) */
  readonly conflict: number;
  /** the table throttles: the request throws, nothing is written */
  readonly tableThrottled: number;
  /** a partition has more to do than it can, for some seconds: requests for it throw */
  readonly partitionThrottled: number;
  /** of several rows that are read or written at once, one is left out */
  readonly rowLeftOut: number;
  /** what is read without consistency is as it was a moment ago */
  readonly staleRead: number;
  /** a page ends long before it is full */
  readonly shortPage: number;
  /** the index of alarms is behind */
  readonly alarmLateMaxMs: number;
  readonly messageDropped: number;
  readonly messageDoubled: number;
  readonly messageDelayMaxMs: number;
  readonly eventDropped: number;
  readonly eventDoubled: number;
  readonly eventDelayMaxMs: number;
  /** an event comes once more, minutes to hours later */
  readonly eventStale: number;
  readonly refused: number;
  /** of the launches that are refused, how many start all the same */
  readonly startedThoughRefused: number;
  readonly throttled: number;
  readonly stopThrottled: number;
  /** a task takes minutes to stop */
  readonly stopSlow: number;
  /** DescribeTasks and ListTasks do not know a task at first */
  readonly hiddenAtFirst: number;
  readonly clockSkewMaxMs: number;
  /** a runtime starts, as the embedded one does: its first sweep looks everything up */
  readonly started: number;
  /** Cloud Map throttles */
  readonly namesThrottled: number;
  /** the listener does not take a change */
  readonly announcementRefused: number;
};

/** Everything that can strike, by the name under which a run counts it. */
export const FAULTS = [
  // handlers and their calls
  'crash before',
  'crash after',
  'timed out',
  'call never arrived',
  'answer lost',
  'answer late',
  'clock skewed',
  // the table
  'request repeated',
  'conflict',
  'table throttled',
  'partition throttled',
  'row left out',
  'stale read',
  'short page',
  'alarm late',
  'expiry late',
  // messages
  'message dropped',
  'message doubled',
  'message late',
  'message given up',
  'delete lost',
  'poison message',
  // events
  'event dropped',
  'event doubled',
  'event late',
  'event early',
  'event stale',
  // ECS reports an end before the task is STOPPED
  'end told early',
  // ECS
  'refused',
  'started though refused',
  'throttled',
  'stop throttled',
  'stop slow',
  'spot notice',
  'hidden at first',
  'forgotten by ECS',
  'names throttled',
  'announcement refused',
  // what lasts for minutes or hours, or comes from outside
  'outage',
  'capacity gone',
  'throttled for minutes',
  'table throttled for minutes',
  'misconfigured',
  'stack changed',
  'runtime started',
  'stranger',
  'cut short',
  'index control',
  'ended Pods deleted',
  'Pods deleted by two',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What lasts for minutes, all over. */
export type Outage = 'capacity gone' | 'throttled for minutes' | 'table throttled for minutes' | 'misconfigured';

export const CALM: FaultRates = {
  crash: 0,
  lostAnswer: 0,
  answerLate: 0,
  requestRepeated: 0,
  conflict: 0,
  tableThrottled: 0,
  partitionThrottled: 0,
  rowLeftOut: 0,
  staleRead: 0,
  shortPage: 0,
  alarmLateMaxMs: 0,
  messageDropped: 0,
  messageDoubled: 0,
  messageDelayMaxMs: 0,
  eventDropped: 0,
  eventDoubled: 0,
  eventDelayMaxMs: 0,
  eventStale: 0,
  refused: 0,
  startedThoughRefused: 0,
  throttled: 0,
  stopThrottled: 0,
  stopSlow: 0,
  hiddenAtFirst: 0,
  clockSkewMaxMs: 0,
  started: 0,
  namesThrottled: 0,
  announcementRefused: 0,
};

/** Each seed has weather of its own: some kinds of fault not at all, some rarely, some often. */
export function faultRatesOf(random: Random): FaultRates {
  const rate = (often: number): number => random.pick([0, often / 5, often]);
  return {
    crash: rate(0.05),
    lostAnswer: rate(0.05),
    answerLate: rate(0.4),
    conflict: rate(0.2),
    tableThrottled: rate(0.05),
    messageDropped: rate(0.1),
    messageDoubled: rate(0.3),
    messageDelayMaxMs: random.pick([0, 500, 90_000]),
    eventDropped: rate(0.1),
    eventDoubled: rate(0.5),
    eventDelayMaxMs: random.pick([0, 2_000, 60_000]),
    eventStale: rate(0.2),
    refused: rate(0.2),
    startedThoughRefused: random.pick([0, 0.3, 0.6]),
    throttled: rate(0.2),
    stopThrottled: rate(0.3),
    stopSlow: rate(0.3),
    hiddenAtFirst: rate(0.3),
    clockSkewMaxMs: random.pick([0, 3_000]),
    namesThrottled: rate(0.5),
    staleRead: rate(0.5),
    started: rate(0.5),
    announcementRefused: rate(0.6),
    requestRepeated: rate(0.1),
    partitionThrottled: rate(0.002),
    rowLeftOut: rate(0.1),
    shortPage: rate(0.3),
    alarmLateMaxMs: random.pick([0, 1_000, 5_000]),
  };
}

/** Thousands of tasks under a storm would take minutes to simulate: fewer faults for each of them. */
export const mild = (faultRates: FaultRates): FaultRates => ({
  ...faultRates,
  crash: faultRates.crash / 5,
  lostAnswer: faultRates.lostAnswer / 5,
  answerLate: faultRates.answerLate / 5,
  tableThrottled: faultRates.tableThrottled / 5,
  partitionThrottled: faultRates.partitionThrottled / 5,
  messageDropped: faultRates.messageDropped / 5,
  eventDropped: faultRates.eventDropped / 10,
  eventStale: faultRates.eventStale / 10,
  throttled: faultRates.throttled / 5,
});
