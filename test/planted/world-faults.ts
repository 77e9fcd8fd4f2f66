import { type PlantedFault, one, shownBy } from './planted-fault.ts';

const RECONCILE = 'shared/control/reconcile/reconcile.ts';
const DISPATCH = 'shared/control/dispatch/dispatch.ts';
const LAUNCH_ALL = 'shared/control/dispatch/launch-all.ts';
const LAUNCH_ANSWER = 'shared/control/dispatch/launch-answer.ts';
const FIND_LAUNCHES = 'shared/control/dispatch/find-launches.ts';
const INSPECT = 'shared/control/dispatch/inspect.ts';
const LAUNCH_ROW = 'shared/domain/scoreboard/launch-row.ts';
const PACE = 'shared/domain/base/pace.ts';

/** Mistakes about what is outside: what ECS says that is not so (yet), messages that nobody can process, other Jobs. */
export const WORLD_FAULTS: readonly PlantedFault[] = [
  // what ECS says
  one(
    'a task that ECS does not know right after its start counts as lost',
    INSPECT,
    'now >= plusMs(slot.since, graceMs)',
    'now >= slot.since',
    ['G2', 'G4', 'G5', 'G6'],
  ),
  one(
    'nobody looks for a task that started though it was refused',
    LAUNCH_ROW,
    "...(outcome.kind === 'refused' ? { refusedAt: now } : {}),",
    '',
    ['G2', 'G4', 'G5', 'G6', 'G7'],
  ),
  shownBy(
    274,
    one(
      'a launch that nobody has heard of is not looked for among the tasks that have stopped',
      FIND_LAUNCHES,
      'doubts.every(isEarly) ? [] : await familiesOfJob(uid, deps)',
      'doubts.length > 0 ? [] : await familiesOfJob(uid, deps)',
      ['G2', 'G5'],
    ),
  ),

  // messages
  one(
    "one Job's error fails the whole batch",
    RECONCILE,
    "reconciled.push({ uid, kind: 'threw', error });",
    'throw error;',
    ['G9'],
  ),
  one(
    'a message that cannot be processed is taken for done',
    RECONCILE,
    "reconciled.push({ uid, kind: 'threw', error });",
    "reconciled.push({ uid, kind: 'returned', outcome: { kind: error === null ? 'done' : 'gone' } });",
    ['G9'],
  ),

  // other Jobs
  {
    name: 'a large Job takes all the launch rights that there are',
    edits: [
      { file: PACE, find: '? 4_000 : 2_000', replace: '? 400_000 : 400_000' },
      { file: PACE, find: 'if (launchesPerSec === null) return', replace: 'if (launchesPerSec !== 0) return' },
    ],
    breaks: ['G13'],
  },
  one(
    'a namespace with many Jobs takes the launches of one with few',
    PACE,
    '3_000 - 2_200 * share ** 2',
    '3_000 - 0 * share',
    ['G13'],
  ),

  // who runs the installation
  one(
    "an operator's mistake fails the Job",
    LAUNCH_ANSWER,
    'known(refusedFact(id, answered.reason, at), {',
    "known(answered.misconfigured === true ? { ...id, kind: 'rejected', reason: answered.reason, at } : refusedFact(id, answered.reason, at), {",
    ['G6'],
  ),
  {
    name: 'a template that ECS has refused is not made anew',
    edits: [
      { file: LAUNCH_ALL, find: 'if (isMisconfigured) await renewed(spec, deps);\n  return', replace: 'return' },
      { file: DISPATCH, find: 'if (isMisconfigured) await renewed(spec, deps);\n  answers', replace: 'answers' },
    ],
    breaks: ['G8'],
  },
  one(
    'a launch that is repeated is made from the newest template',
    LAUNCH_ALL,
    'const stored = templates[no];',
    'const stored = templates.at(-1);',
    ['G4', 'G14'],
  ),
];
