import { type Fact, byNow } from '../base/fact.ts';
import type { EpochMs } from '../base/time.ts';
import type { Timing } from '../base/timing.ts';
import type { StoredChunks } from '../scoreboard/working-board.ts';
import type { Status } from '../scoreboard/status.ts';
import type { Job } from '../manifests/job.ts';
import { advancePhase } from './advance-phase.ts';
import { applyFacts } from './apply-facts.ts';
import { beginPass } from './pass.ts';
import type { Plan } from './plan.ts';
import { planAttempts } from './plan-attempts.ts';
import { planCommit } from './plan-commit.ts';
import { OWN_RULES, type PlanRules } from './plan-rules.ts';
import { NO_UPSTREAMS, type Upstreams } from '../upstreams/upstreams.ts';

/**
 * The decision of one pass: what the board becomes and what is requested after the commit, from the Job's committed state, the
 * facts, and the time. All of Kubernetes' Job semantics are in the four steps and in the policies that they call.
 *
 * @param read STATUS as it was read
 * @param stored the chunks that {@link chunksNeeded} named, at STATUS's versions
 * @param clock the pass's own clock; {@link beginPass} corrects one that is slightly late or far behind
 * @param rules another controller's, to learn what that controller would do
 * @param upstreams the Jobs that this one waits for, as they were read with it
 */
export function planJob(
  job: Job,
  read: Status,
  stored: StoredChunks,
  facts: readonly Fact[],
  clock: EpochMs,
  timing: Timing,
  rules: PlanRules = OWN_RULES,
  upstreams: Upstreams = NO_UPSTREAMS,
): Plan {
  const pass = beginPass(job, read, clock, timing, rules, upstreams);
  const applied = applyFacts(
    pass,
    stored,
    facts.map((fact) => byNow(fact, pass.now)),
  );
  const advanced = advancePhase(pass, applied);
  const attempts = planAttempts(pass, advanced);
  return planCommit(pass, attempts);
}
