import { type PlantedFault, one, shownBy } from './planted-fault.ts';

const MEMORY_TASKS = 'shared/adapters/memory/memory-tasks.ts';
const PASS = 'shared/domain/planner/pass.ts';
const PLAN_ATTEMPTS = 'shared/domain/planner/plan-attempts.ts';
const PLAN_COMMIT = 'shared/domain/planner/plan-commit.ts';
const FOLD_FACTS = 'shared/domain/planner/fold-facts.ts';
const DECIDE_PHASE = 'shared/domain/planner/decide-phase.ts';
const LAUNCHES = 'shared/domain/planner/launches.ts';
const LAUNCH_ROW = 'shared/domain/scoreboard/launch-row.ts';
const CALL_AT_PACE = 'shared/control/process/call-at-pace.ts';
const JOURNAL = 'shared/domain/scoreboard/journal.ts';
const STOPS = 'shared/domain/planner/stops.ts';
const JUDGE = 'shared/domain/planner/judge.ts';
const TRANSITION = 'shared/domain/scoreboard/transition.ts';
const RECONCILE = 'shared/control/reconcile/reconcile.ts';
const INSPECT = 'shared/control/dispatch/inspect.ts';
const LAUNCH_ANSWER = 'shared/control/dispatch/launch-answer.ts';
const LOAD_JOB = 'shared/control/reconcile/load-job.ts';
const SWEEP = 'shared/control/sweep/sweep.ts';

/** Mistakes in what carries every Job: store, facts, launches, stops, sweeps. Somebody could make them, or others have. */
export const MACHINE_FAULTS: readonly PlantedFault[] = [
  // what is stored
  one(
    'a Pod that goes on in another task is published as new',
    JOURNAL,
    "const isNew = transition.op === 'claim' ||",
    "const isNew = transition.op === 'claim' || transition.op === 'relaunch' ||",
    ['G14'],
  ),
  one(
    'a Pod that started before it was published is not published as new',
    JOURNAL,
    "transition.op === 'claim' || before?.isNew === true;",
    "transition.op === 'claim';",
    ['G14'],
  ),
  one(
    'journal entries are dropped before they are folded',
    JOURNAL,
    'entry.seq >= publishedSeq || !board.isFolded(entry)',
    'entry.seq >= publishedSeq',
    ['G1', 'G2', 'G4', 'G8', 'G15', 'bug'],
  ),

  // which attempts there are
  one(
    'one attempt more than parallelism',
    LAUNCHES,
    'Math.min(spec.parallelism, spec.completions',
    'Math.min(spec.parallelism + 1, spec.completions',
    ['G3'],
  ),
  {
    name: 'a new attempt takes the number of the last one',
    edits: [
      {
        file: LAUNCHES,
        find: '(board.record(index)?.attempt ?? 0) + 1',
        replace: 'Math.max(board.record(index)?.attempt ?? 0, 1)',
      },
      {
        file: TRANSITION,
        find: "t.op === 'claim' ? r.attempt + 1 : r.attempt;",
        replace: "t.op === 'claim' ? Math.max(r.attempt, 1) : r.attempt;",
      },
    ],
    breaks: ['G4'],
  },
  one(
    'a claim that nobody answers is never sent again',
    PLAN_ATTEMPTS,
    'launch.push({ index: claim.index, attempt: claim.attempt, nonce: claim.nonce });',
    '',
    ['G8', 'G15'],
  ),
  one(
    'active attempts are never looked up',
    PLAN_COMMIT,
    "...(inspection.isDue ? [{ kind: 'inspect' } as const] : []),",
    '',
    ['G8', 'G15'],
  ),

  // what facts are worth
  one(
    "an old attempt's facts count for the new one",
    FOLD_FACTS,
    "record.attempt === fact.attempt &&\n  (fact.kind === 'deleted' ? hasPod(record.state) : isActive(record.state) && record.nonce === fact.nonce);",
    "fact.kind === 'deleted' ? hasPod(record.state) : isActive(record.state);",
    ['bug', 'G2', 'G5', 'G10'],
  ),
  one(
    "a dead launch's facts count for the next one",
    FOLD_FACTS,
    'isActive(record.state) && record.nonce === fact.nonce);',
    'isActive(record.state));',
    ['G2', 'G4', 'G5', 'G6', 'G8', 'G15', 'G10'],
  ),
  one('a refused launch keeps its nonce', FOLD_FACTS, 'nonce: nonce + 1, dueAt: retryAt', 'nonce, dueAt: retryAt', [
    'G8',
    'G15',
  ]),
  one(
    'what a suspend stops counts as failed',
    JUDGE,
    'if (!byItself && isEnding(phase))',
    'if (!byItself && isEnding(phase) && spec.parallelism < 0)',
    ['G5', 'G8', 'G15'],
  ),
  one(
    'a task that should not be is left alone',
    FOLD_FACTS,
    "if (fact.kind === 'running' && !isPast(record, fact)) this.#orphans.push(fact.taskArn);",
    ';',
    ['G7'],
  ),

  // how a Job ends
  one(
    'a Job is over while its tasks run',
    DECIDE_PHASE,
    'podCount(tally) === 0 && inFlight === 0 && replacedTasks === 0;',
    'tally.starting + tally.waiting === 0 && inFlight === 0 && replacedTasks === 0;',
    ['G5', 'G6'],
  ),
  one(
    'a Job is over while claims are unanswered',
    DECIDE_PHASE,
    'podCount(tally) === 0 && inFlight === 0 && replacedTasks === 0;',
    'tally.running + tally.waiting === 0 && replacedTasks === 0;',
    ['G5', 'G6'],
  ),
  one(
    'a Job resumes while what was suspended still runs',
    DECIDE_PHASE,
    "return phase.kind !== 'running' && idle ? { kind: 'running' } : phase;",
    "return phase.kind !== 'running' ? { kind: 'running' } : phase;",
    ['G5'],
  ),
  one(
    'a stop is asked for only once',
    STOPS,
    'round === null || (round.cursor >= board.size && now >= plusMs(round.startedAt, timing.stopRepeatMs));',
    'round === null;',
    ['G8', 'G15'],
  ),
  one(
    'a look-up ends with the first message where a chunk has more active attempts than one takes',
    INSPECT,
    '? (indexes.at(-1) ?? from) + 1 : nextFrom;',
    '? null : nextFrom;',
    ['G15'],
  ),
  one('the sweep wakes nobody', SWEEP, 'if (page.uids.length > 0) {', 'if (page.uids.length < 0) {', [
    'G8',
    'G15',
    'G14',
  ]),

  // acting on the world
  one(
    'a claim is cancelled while it launches',
    LAUNCH_ROW,
    "if (slot === null) {\n      this.#store({ ...id, state: 'cancelled' });",
    "if (slot === null || slot.state === 'launching') {\n      this.#store({ ...id, state: 'cancelled' });",
    ['G2', 'G4', 'G5', 'G6', 'G7', 'G8', 'G15'],
  ),
  one(
    'a cancelled claim launches anyway',
    LAUNCH_ROW,
    "else if (slot.state === 'cancelled') this.#refuse(id, slot);\n    else if (slot.state === 'launched') this.#launched",
    "else if (slot.state === 'cancelled') this.#run.push({ id, traits: traits ?? PLAIN, template, doubtedSince: null, claim: null });\n    else if (slot.state === 'launched') this.#launched",
    ['G2', 'G4', 'G5', 'G6', 'G7'],
  ),
  one(
    'a launch without an answer counts as refused',
    LAUNCH_ANSWER,
    "case 'unknown':\n      return later(id);",
    "case 'unknown':\n      return known({ ...id, kind: 'refused', reason: '', retryAt: at, at }, { id, kind: 'closed' });",
    ['G4', 'G5'],
  ),
  one(
    'RunTask forgets its client tokens',
    MEMORY_TASKS,
    "if (before?.kind === 'refused' || (before !== undefined && task !== undefined && isKnown(task))) return before;",
    '',
    ['G4'],
  ),
  one(
    'what must follow a commit is done before it',
    RECONCILE,
    'if (!(await commit(uid, loaded, plan, written, deps))) {',
    'await act(loaded, plan, inspect ?? false, deps);\n    if (!(await commit(uid, loaded, plan, written, deps))) {',
    ['G14', 'G15'],
  ),
  shownBy(
    761,
    one(
      'a launch is repeated though its token may be dead',
      LAUNCH_ROW,
      'if (ageMs(slot.since, this.#now) >= TOKEN_SAFE_MS) return void',
      '',
      ['G4', 'G6'],
    ),
  ),
  {
    name: 'what waits for its right is claimed as soon as the right is granted',
    edits: [
      { file: CALL_AT_PACE, find: 'const PREPARE_MS = 150;', replace: 'const PREPARE_MS = 5_000;' },
      { file: CALL_AT_PACE, find: 'const TOGETHER_MS = 1_000;', replace: 'const TOGETHER_MS = 5_000;' },
    ],
    breaks: ['G26'],
  },
  one('a claim that got no right is kept', LAUNCH_ANSWER, 'outcome: uncalled(run),', 'outcome: null,', ['G26']),
  one(
    'what was cancelled while it waited for its right is launched',
    LAUNCH_ROW,
    "    const slot = this.#current(id);\n    if (slot === 'later') return;\n    if (slot === null) {\n      const claim",
    "    const found = this.#current(id);\n    if (found === 'later') return;\n    const slot = found?.state === 'cancelled' && found.refusedAt === undefined ? null : found;\n    if (slot === null) {\n      const claim",
    ['G26', 'G6', 'G4'],
  ),
  one('nobody looks for tasks that no board knows', SWEEP, 'if (messages.length > 0)', 'if (messages.length < 0)', [
    'G7',
  ]),

  // what is remembered
  one(
    'an attempt is counted before its record is written',
    RECONCILE,
    'if (unwritten.length > 0) await jobs.writeAttempts(uid, unwritten, keepUntil);',
    '',
    ['G10'],
  ),
  one(
    "a pass goes by its own clock, though the Job's time is ahead",
    PASS,
    'const now = later(clock, status.now);',
    'const now = clock;',
    ['G10'],
  ),
  {
    name: "a pass decides by a spec that is no longer the Job's",
    edits: [
      {
        file: LOAD_JOB,
        find: 'if (cached?.revision === revision) return cached;',
        replace: 'if (cached !== undefined) return cached;',
      },
      { file: LOAD_JOB, find: "if (!isOneRevision(spec, read)) return 'conflict';", replace: '' },
    ],
    breaks: ['G10', 'G3'],
  },
  one(
    'a deleted Job goes though a finalizer holds it',
    DECIDE_PHASE,
    'return idle && !job.spec.held ?',
    'return idle ?',
    ['G7'],
  ),
  one(
    'the name of a Job that terminated is never freed',
    RECONCILE,
    "if (plan.expire && status.phase.kind === 'terminating') await jobs.freeName(job);",
    '',
    ['G7', 'G8', 'G15'],
  ),
  one(
    "a deleted Job's rows stay for ever",
    PLAN_COMMIT,
    "expire: phase.kind === 'deleted' && commits && ",
    'expire: false && ',
    ['G7'],
  ),
  one(
    "lost infrastructure spends an attempt of the user's",
    JUDGE,
    'if (losses > disruptions.losses) return counts',
    'if (losses > 0) return counts',
    ['G5'],
  ),
  one(
    'what still ran when the Job failed is forgotten',
    JUDGE,
    "if (phase.kind === 'draining' && phase.verdict.kind === 'failed') {",
    "if (phase.kind === 'deleted') {",
    ['G5'],
  ),
];
