import { type PlantedFault, one } from './planted-fault.ts';

const INITIAL_BOARD = 'shared/domain/scoreboard/initial-board.ts';
const DECIDE_PHASE = 'shared/domain/planner/decide-phase.ts';
const JOB_CHANGES = 'shared/control/lifecycle/job-changes.ts';
const CHUNKS_AT = 'shared/store/chunks-at.ts';

/** Mistakes about Jobs in which not every index runs. */
export const RERUN_FAULTS: readonly PlantedFault[] = [
  one('an inherited success is run again', INITIAL_BOARD, '[inherited, SUCCEEDED],', '[inherited, PENDING],', ['G1']),
  one('an excluded index is launched', INITIAL_BOARD, '[excluded, EXCLUDED],', '[excluded, PENDING],', ['G1']),
  one(
    'excluded indexes are waited for',
    DECIDE_PHASE,
    'const settled = within.succeeded + within.excluded;',
    'const settled = within.succeeded;',
    ['G8'],
  ),
  one(
    'excluded indexes count as pending',
    'shared/domain/scoreboard/status.ts',
    'const missing = length - (pending + held + podCount(summary) + succeeded + failed + excluded);',
    'const missing = length - (pending + held + podCount(summary) + succeeded + failed);',
    ['G2'],
  ),
  one(
    'inherited successes are not counted',
    INITIAL_BOARD,
    'const succeeded = countIn(selection.inherited, no, length);',
    'const succeeded = 0 * countIn(selection.inherited, no, length);',
    ['G2', 'G8'],
  ),
  one(
    'inherited successes do not count for the success policy',
    INITIAL_BOARD,
    'size(intersect(indexes, inherited))',
    'size(intersect(indexes, { edges: inherited.edges.slice(0, 0) }))',
    ['G2'],
    'successPolicy',
  ),
  one(
    'a change of the Job forgets what it has inherited',
    JOB_CHANGES,
    '...(inherited === undefined ? {} : { inherited }),',
    '...(inherited === undefined ? {} : {}),',
    ['G1', 'G2', 'G8', 'bug'],
  ),
  one(
    'a chunk that nobody has stored is taken for fresh',
    CHUNKS_AT,
    "unstored === 'initial' ? initialChunk(selection, no) :",
    "unstored === 'initial' ? initialChunk({ inherited: { edges: [] }, excluded: { edges: [] } }, no) :",
    ['G1', 'bug'],
  ),
];
