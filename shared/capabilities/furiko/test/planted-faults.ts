import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const PLACES = 'shared/capabilities/furiko/domain/config-places.ts';
const PLAN = 'shared/capabilities/furiko/domain/plan-config.ts';
const RECONCILE = 'shared/capabilities/furiko/control/reconcile-config.ts';
const OBSERVE = 'shared/capabilities/furiko/control/observe-jobs.ts';

/** Mistakes with the places of Jobs in their JobConfig. */
export const CONFIG_FAULTS: readonly PlantedFault[] = [
  one(
    'a queue lets in one Job too many',
    PLACES,
    'const mayStart = !isHeldBack && active < max;',
    'const mayStart = !isHeldBack && active <= max;',
    ['G21'],
  ),
  one(
    'a new place is the first of its queue',
    PLACES,
    'state: { ...state, places: [...state.places, place] } };',
    'state: { ...state, places: [place, ...state.places] } };',
    ['G21'],
  ),
  one(
    'a place whose Job never comes is kept',
    PLACES,
    '(place.slot !== null || now < plusMs(place.at, PLACE_GRACE_MS));',
    'now >= place.at;',
    ['G21'],
  ),
  one(
    'a place is given although the row was lost to another',
    'shared/capabilities/furiko/control/give-places.ts',
    "return written.kind === 'lost' ? 'conflict' : { kind: taken.kind };",
    'return written.kind === null ? written.kind : { kind: taken.kind };',
    ['G21'],
  ),
  one(
    'a start in the row that a crash has swallowed is not repeated',
    PLAN,
    "places.filter(({ stage, isStored }) => stage === 'starting' && isStored),",
    "places.filter(({ stage, uid }) => stage === 'starting' && seen.places.some((was) => was.uid === uid && was.stage === 'queued')),",
    ['G21'],
  ),
  one(
    'a slot without a place is not mentioned',
    PLAN,
    "return withCronEvent(state, warning('SkippedSchedule',",
    "return taken.kind === 'refused' ? state : withCronEvent(state, warning('SkippedSchedule',",
    ['G21'],
  ),
  one(
    'a Job that was deleted gives its place up while its tasks run',
    OBSERVE,
    "return (isHidden(status.phase) || kind === 'terminating') && isIdle(status);",
    "return isHidden(status.phase) || kind === 'terminating' || isIdle(status) === null;",
    ['G21'],
  ),
  one(
    'a Job that has ended keeps its place',
    OBSERVE,
    "if (kind === 'finished' || kind === 'deleted') return true;",
    "if (kind === 'deleted') return true;",
    ['G21'],
  ),
  one(
    'nobody is woken for the slot after this one',
    RECONCILE,
    'isNew && (alarmAt !== row.alarmAt || row.state.places.some(isToBeCreated));',
    'isNew && alarmAt !== row.alarmAt;',
    ['G21'],
  ),
];
