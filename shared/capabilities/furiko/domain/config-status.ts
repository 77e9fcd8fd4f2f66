import { asTime } from '../../../domain/base/time.ts';
import { type ConfigPlace, type ConfigState, isActive, isQueued } from './config-state.ts';
import type { JobConfigSpec, JobConfigStatusDocument, JobReference } from './job-config.ts';

/** Each list names so many Jobs at most, oldest first; its number counts all. */
const LISTED_MAX = 100;

/** What users see of a JobConfig's state, as Furiko writes it. */
export function configStatus(
  { schedule }: Pick<JobConfigSpec, 'schedule'>,
  state: ConfigState,
): JobConfigStatusDocument {
  const stored = state.places.filter(({ isStored }) => isStored);
  const [queued, active] = [stored.filter(isQueued), stored.filter(isActive)];
  return {
    state: stateOf(schedule, queued.length, active.length),
    queued: queued.length,
    ...(queued.length === 0 ? {} : { queuedJobs: referencesTo(queued) }),
    active: active.length,
    ...(active.length === 0 ? {} : { activeJobs: referencesTo(active) }),
    ...(state.lastScheduledAt === null ? {} : { lastScheduled: asTime(state.lastScheduledAt) }),
    ...(state.lastExecutedAt === null ? {} : { lastExecuted: asTime(state.lastExecutedAt) }),
  };
}

function stateOf(
  schedule: JobConfigSpec['schedule'],
  queued: number,
  active: number,
): JobConfigStatusDocument['state'] {
  if (active > 0) return 'Executing';
  if (queued > 0) return 'JobQueued';
  if (schedule?.cron === undefined) return 'Ready';
  return schedule.disabled === true ? 'ReadyDisabled' : 'ReadyEnabled';
}

const referencesTo = (places: readonly ConfigPlace[]): readonly JobReference[] =>
  places.slice(0, LISTED_MAX).map(({ uid, name, at, startTime, stage }) => ({
    uid,
    name,
    creationTimestamp: asTime(at),
    ...(startTime === null ? {} : { startTime: asTime(startTime) }),
    ...(stage === 'queued' ? { phase: 'Queued' } : {}),
  }));
