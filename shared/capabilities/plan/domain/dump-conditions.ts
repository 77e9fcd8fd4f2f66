import type { EpochMs } from '../../../domain/base/time.ts';
import type { DumpedCondition } from './cluster-dump.ts';
import type { DumpDecision } from './dump-decision.ts';
import { conditionIs } from './dumped-pods.ts';
import { normal, warning } from '../../../domain/events/job-events.ts';
import type { JobEvent } from '../../../domain/scoreboard/status.ts';

export type DumpedEnd = {
  readonly kind: 'complete' | 'failed';
  readonly reason: string;
  readonly message: string;
  readonly terminal: boolean;
};

/** How the Job ends, if it does; an existing interim condition keeps its reason and its message. */
export function outcomeOf({ dump, phase }: DumpDecision, capped: boolean): DumpedEnd | null {
  if (phase.kind !== 'draining' && phase.kind !== 'finished') return null;
  const { kind, reason, message } = phase.verdict;
  const type = kind === 'complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const interim = dump.job.status.conditions.find((c) => c.type === type && c.status === 'True');
  const words = interim === undefined ? { reason, message } : { reason: interim.reason, message: interim.message };
  return { kind, ...words, terminal: phase.kind === 'finished' && !capped };
}

/** The Job's conditions after this pass, and the events that accompany them. */
export function conditionsAfter(
  { dump, now, phase }: DumpDecision,
  outcome: DumpedEnd | null,
): { readonly conditions: readonly DumpedCondition[]; readonly events: readonly JobEvent[] } {
  const { deleting, status } = dump.job;
  const { conditions } = status;
  if (outcome !== null) {
    const { kind, reason, message, terminal } = outcome;
    const [interim, end] =
      kind === 'complete' ? (['SuccessCriteriaMet', 'Complete'] as const) : (['FailureTarget', 'Failed'] as const);
    const decided = ensure(conditions, interim, 'True', reason, message, now);
    if (!terminal) return { conditions: decided, events: [] };
    return {
      conditions: ensure(decided, end, 'True', reason, message, now),
      events: [kind === 'complete' ? normal('Completed', 'Job completed') : warning(reason, message)],
    };
  }
  if (deleting) return { conditions, events: [] };
  const was = conditionIs(dump, 'Suspended');
  if (phase.kind === 'suspended') {
    return {
      conditions: ensure(conditions, 'Suspended', 'True', 'JobSuspended', 'Job suspended', now),
      events: was ? [] : [normal('Suspended', 'Job suspended')],
    };
  }
  if (!was) return { conditions, events: [] };
  return {
    conditions: ensure(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed', now),
    events: [normal('Resumed', 'Job resumed')],
  };
}

/** Sets a condition in place, or appends it; changes nothing if it is already so (kubernetes-job.md 3.1). */
function ensure(
  conditions: readonly DumpedCondition[],
  type: string,
  status: string,
  reason: string,
  message: string,
  now: EpochMs,
): readonly DumpedCondition[] {
  const set = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  const at = conditions.findIndex((condition) => condition.type === type);
  const old = conditions[at];
  if (old === undefined) return status === 'False' ? conditions : [...conditions, set];
  if (old.status === status && old.reason === reason && old.message === message) return conditions;
  return conditions.with(at, set);
}
