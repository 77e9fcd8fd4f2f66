import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const CONTENTS = 'shared/capabilities/worklists/control/work-list-contents.ts';

/** Mistakes about what is kept for WorkLists. */
export const WORK_LIST_FAULTS: readonly PlantedFault[] = [
  one(
    'the items of living Jobs are given back by the sweep',
    CONTENTS,
    "if (status === null || status.phase.kind === 'deleted')",
    "if (status === null || status.phase.kind !== 'deleted')",
    ['G7', 'bug'],
  ),
];
