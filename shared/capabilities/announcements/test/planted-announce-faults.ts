import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const RECONCILE = 'shared/control/reconcile/reconcile.ts';
const ANNOUNCE = 'shared/capabilities/announcements/control/announce.ts';

/** Mistakes with what others hear of a Job. */
export const ANNOUNCE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a change is announced before it is committed',
    edits: [
      {
        file: RECONCILE,
        find: '  if (!(await commit(uid, loaded, plan, written, deps))) {',
        replace: `  for (const step of AFTER_PASSES)
    await step({ spec: loaded.spec, before: loaded.status, after: plan.status ?? loaded.status, facts, announces: plan.announce }, deps);
  if (!(await commit(uid, loaded, plan, written, deps))) {`,
      },
      {
        file: RECONCILE,
        find: `  for (const step of AFTER_PASSES) await step(committedStatus, deps);
  if (plan.outlived)`,
        replace: '  if (plan.outlived)',
      },
    ],
    breaks: ['G18'],
  },
  one(
    'a change that nobody took counts as announced',
    ANNOUNCE,
    'const last = refused === -1 ? open.at(-1) : open[refused - 1];',
    'const last = open.at(-1);',
    ['G18'],
  ),
  one(
    'the id of a change is without its version',
    'shared/capabilities/announcements/domain/announcement.ts',
    "StateChange, 'version'>): string => `${uid}/${version}`;",
    'StateChange, \'version\'>): string => `${uid}/${version > 0 ? "change" : version}`;',
    ['G18'],
  ),
  one(
    'a change that was handed over counts as announced, though its handler died',
    'shared/control/reconcile/load-job.ts',
    'const changes = unannounced.changes.filter(({ version }) => version > announced);',
    'const changes = unannounced.changes.filter(({ version }) => version > Math.max(announced, status.version - 1));',
    ['G18'],
  ),
  one(
    'a Job that its user deletes is gone in silence',
    'shared/control/lifecycle/job-changes.ts',
    'const next = noted(spec.manifest, status, deleted, deps);',
    'const next = deleted;',
    ['G18'],
  ),
];
