import { type PlantedFault, one, shownBy } from '../../../../test/planted/planted-fault.ts';

const STEPS = 'shared/control/lifecycle/creation-steps.ts';
const RESERVE_ALL = 'shared/control/lifecycle/reserve-all.ts';
const JOB_ROOM = 'shared/capabilities/quotas/control/job-room.ts';
const ROOM = 'shared/capabilities/quotas/control/room.ts';
const USAGE = 'shared/capabilities/quotas/domain/usage.ts';
const QUOTA = 'shared/capabilities/quotas/domain/quota.ts';

/** Mistakes with quotas. */
export const QUOTA_FAULTS: readonly PlantedFault[] = [
  {
    name: 'room is reserved after the Job is stored',
    edits: [
      {
        file: STEPS,
        find: '  DEPENDENCIES,\n  ...ROOM_STEPS,\n',
        replace: '  DEPENDENCIES,\n  ...ROOM_STEPS.map(({ name, check }) => ({ name, check })),\n',
      },
      { file: STEPS, find: '  NAME,\n];', replace: '  NAME,\n  ...ROOM_STEPS,\n];' },
    ],
    breaks: ['G25'],
  },
  one(
    'what a new Job has taken is given back when it is stored',
    RESERVE_ALL,
    'for (const { keep } of held) keep?.();',
    'await undoAll(held);',
    ['G25', 'bug'],
  ),
  shownBy(
    1150,
    one(
      'what a new Job has taken is given back when an answer is lost',
      RESERVE_ALL,
      'const answer = await take(step, draft);',
      'const answer = await take(step, draft).catch(async (error: unknown) => undoAll(held).then(() => Promise.reject(error)));',
      ['G25'],
    ),
  ),
  one(
    'a Job that waits for another is not counted',
    USAGE,
    'if (isEnding || job.spec.suspend || !job.spec.managed) return objectOf(job);',
    "if (isEnding || job.spec.suspend || phase.kind === 'suspended' || !job.spec.managed) return objectOf(job);",
    ['G25'],
  ),
  one(
    'a quota is written over what others have written meanwhile',
    ROOM,
    'was: stored.version, document });',
    "was: (await objects.read('ResourceQuota', stored.key))?.version ?? 0, document });",
    ['G25'],
  ),
  one(
    'a Job that is resumed reserves nothing',
    JOB_ROOM,
    'if (isNothing(beyond(wish.want, wish.before))) return held;',
    'if (isNothing(beyond(wish.want, wish.before)) || seen.spec.manifest.spec.suspend) return held;',
    ['G25'],
  ),
  one(
    'what Jobs that are over have used is never given back',
    QUOTA,
    'QUOTA_KEYS.flatMap((key) => (quota.hard[key] === undefined ? [] : [[key, total[countedFor(key)]]])),',
    'QUOTA_KEYS.flatMap((key) => (quota.hard[key] === undefined ? [] : [[key, Math.max(quota.used[key] ?? 0, total[countedFor(key)])]])),',
    ['G25', 'G8'],
  ),
  one(
    'a count forgets what was reserved while it counted',
    QUOTA,
    'const total = plus(plus(counted.total, missing), since);',
    'const total = plus(counted.total, missing);',
    ['G25'],
  ),
  shownBy(
    2710,
    one(
      'a count forgets what is reserved and not stored yet',
      QUOTA,
      'const total = plus(plus(counted.total, missing), since);',
      'const total = plus(counted.total, since);',
      ['G25'],
    ),
  ),
  one(
    'what was reserved by a process that died stays reserved',
    QUOTA,
    'if (now - entry.at >= RESERVED_MAX_MS) return [];',
    'if (now - entry.at >= RESERVED_MAX_MS * 1e6) return [];',
    ['G25', 'G8'],
  ),
];
