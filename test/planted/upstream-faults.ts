import { type PlantedFault, one } from './planted-fault.ts';

const STANDING = 'shared/domain/upstreams/upstream.ts';
const JUDGE = 'shared/domain/upstreams/upstreams.ts';
const GATE = 'shared/domain/upstreams/index-gate.ts';
const STUCK = 'shared/domain/planner/stuck-indexes.ts';
const READ = 'shared/control/upstreams/read-upstreams.ts';
const RECONCILE = 'shared/control/reconcile/reconcile.ts';

/** Mistakes with Jobs that wait for others. */
export const UPSTREAM_FAULTS: readonly PlantedFault[] = [
  one(
    'a Job starts after one that has failed',
    STANDING,
    "return end === 'complete' ? MET : { kind: 'never', why: `job ${name} has failed` };",
    "return end === 'failed' || end === 'complete' ? MET : { kind: 'never', why: `job ${name} has failed` };",
    ['G22'],
  ),
  one(
    'a Job starts when the first of those that it waits for has ended',
    JUDGE,
    "else if (standing.kind === 'waits') waitsFor.push(standing.why);",
    "else if (standing.kind === 'waits' && spec.after[0] === dependency) waitsFor.push(standing.why);",
    ['G22'],
  ),
  one(
    'a Job that takes the name of another is waited for in its place',
    READ,
    'const uid = known ?? (await reads.jobs.findJob(namespace, name));',
    'const uid = (await reads.jobs.findJob(namespace, name)) ?? known;',
    ['G22', 'G8'],
  ),
  one(
    'an index starts after the first of those that it waits for',
    GATE,
    'for (let each = first; each < after; each++) if (!hasSucceeded(each, seen)) return false;',
    'for (let each = first; each < first + 1; each++) if (!hasSucceeded(each, seen)) return false;',
    ['G22'],
  ),
  one(
    'an index starts when its index has ended, however it ended',
    GATE,
    'return board.chunk(no)?.states[index % CHUNK_INDEXES] === SUCCEEDED;',
    'return (board.chunk(no)?.states[index % CHUNK_INDEXES] ?? 0) >= SUCCEEDED;',
    ['G22'],
  ),
  one(
    'the end of a Job wakes nobody',
    RECONCILE,
    'if (hasEnded || isGone || isJustOver(before.phase, deps.clock.now()))',
    'if (hasEnded && isGone && isJustOver(before.phase, deps.clock.now()))',
    ['G22', 'G15'],
  ),
  one(
    'successes wake nobody',
    RECONCILE,
    'else if (after.isAwaited && plan.counted.succeeded > 0)',
    'else if (after.isAwaited && plan.counted.succeeded > 1_000)',
    ['G22'],
  ),
  one(
    'nobody looks again for a Job whose wake-up is lost',
    'shared/domain/planner/plan-commit.ts',
    'waitsForOthers(pass, attempts) ? lookAgainAt(job.createdAt, now, timing) : null,',
    'waitsForOthers(pass, attempts) && lookAgainAt(job.createdAt, now, timing) < now ? now : null,',
    ['G8', 'G22'],
  ),
  one(
    'a Job whose last indexes wait in vain never ends',
    STUCK,
    '    if (closed.isAnyOpen) return null;\n    count += closed.count;',
    '    if (closed.isAnyOpen || closed.count > 0) return null;\n    count += closed.count;',
    ['G8'],
  ),
  one(
    'indexes that may still start are given up',
    STUCK,
    'if (closed.isAnyOpen) return null;',
    'if (closed.isAnyOpen && closed.count === 0) return null;',
    ['G22', 'G8', 'G6'],
  ),
];
