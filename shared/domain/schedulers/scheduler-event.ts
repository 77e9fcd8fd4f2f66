import type { EpochMs } from '../base/time.ts';

/** Something that has happened to an object that makes Jobs, as its Events report it. */
export type CronEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly firstAt: EpochMs;
  readonly at: EpochMs;
  readonly count: number;
};

/** What every scheduler keeps of its object. */
export type WithEvents = {
  /** The newest, oldest first. */
  readonly events: readonly CronEvent[];
};

const EVENTS_MAX = 24;

/** `state`, with this event added; a repeated event is counted. */
export function withCronEvent<State extends WithEvents>(
  state: State,
  { type, reason, message }: Pick<CronEvent, 'type' | 'reason' | 'message'>,
  at: EpochMs,
): State {
  const again = state.events.find((each) => each.reason === reason && each.message === message);
  const others = state.events.filter((each) => each !== again);
  const entry = { type, reason, message, at, firstAt: again?.firstAt ?? at, count: (again?.count ?? 0) + 1 };
  return { ...state, events: [...others, entry].slice(-EVENTS_MAX) };
}
