import type { JobUid } from '../base/ids.ts';
import { type Phase, type Status, endOf } from '../scoreboard/status.ts';
import type { After } from '../manifests/annotations/dependencies.ts';
import { unreachable } from '../base/invariant.ts';

/**
 * A Job that another one waits for, as a pass has read it. `uid` null: no Job has the name. `status` null: the Job with this uid
 * is gone, and so is what it came to.
 */
export type SeenUpstream = {
  readonly name: string;
  readonly uid: JobUid | null;
  readonly status: Pick<Status, 'phase'> | null;
};

/** How a dependency stands; `never`: it cannot be met any more. `why`: what it waits for, or why not, as text without times. */
export type DependencyStanding =
  | { readonly kind: 'met' }
  | { readonly kind: 'waits'; readonly why: string }
  | { readonly kind: 'never'; readonly why: string };

const MET: DependencyStanding = { kind: 'met' };

/**
 * Whether a Job has come to what another waits for. Only its end counts, not an interim condition: until then tasks of it may
 * run. A Job that was deleted after its end counts as it ended, as long as its rows are kept.
 */
export function standingOfUpstream(
  { name, condition }: After,
  { uid, status }: Pick<SeenUpstream, 'uid' | 'status'>,
): DependencyStanding {
  if (uid === null) return { kind: 'waits', why: `job ${name}, which does not exist yet` };
  const end = status === null ? null : endOf(status.phase);
  if (end !== null) return standingAtEnd(name, condition, end.verdict.kind);
  if (status === null || isDeleted(status.phase))
    return { kind: 'never', why: `job ${name} was deleted before its end` };
  return { kind: 'waits', why: `job ${name} to ${AIMS[condition]}${rests(status.phase)}` };
}

function standingAtEnd(name: string, condition: After['condition'], end: 'complete' | 'failed'): DependencyStanding {
  switch (condition) {
    case 'finished':
      return MET;
    case 'complete':
      return end === 'complete' ? MET : { kind: 'never', why: `job ${name} has failed` };
    case 'failed':
      return end === 'failed' ? MET : { kind: 'never', why: `job ${name} is complete, and has not failed` };
    default:
      return unreachable(condition);
  }
}

const AIMS = { complete: 'complete', failed: 'fail', finished: 'finish' } as const satisfies Record<
  After['condition'],
  string
>;

const isDeleted = ({ kind }: Phase): boolean => kind === 'purging' || kind === 'deleted' || kind === 'terminating';

function rests(phase: Phase): string {
  if (phase.kind !== 'suspended') return '';
  return phase.held === true ? ', which waits itself' : ', which is suspended';
}
