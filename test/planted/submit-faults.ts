import { type PlantedFault, one } from './planted-fault.ts';

const SUBMIT = 'shared/control/submit/submit.ts';
const HASH = 'const hash = deps.hash(`submission/${namespace}/${source}`);';

/** Mistakes with messages that make Jobs. */
export const SUBMIT_FAULTS: readonly PlantedFault[] = [
  one(
    'a message makes a Job each time that it comes',
    SUBMIT,
    HASH,
    'const hash = deps.hash(`submission/${namespace}/${source}/${deps.clock.now()}`);',
    ['G19'],
  ),
  one(
    'a message is taken for another of its namespace',
    SUBMIT,
    HASH,
    'const hash = deps.hash(`submission/${namespace}`);',
    ['G19'],
  ),
  one(
    "a message's Job has a name that the next one has, too",
    'shared/schema/submission/job-of-submission.ts',
    "return `${prefix.slice(0, PREFIX_CHARS_MAX).replace(/[-.]+$/, '')}-${suffix}`;",
    "return `${prefix.slice(0, PREFIX_CHARS_MAX).replace(/[-.]+$/, '')}-${suffix.slice(0, 0)}0`;",
    ['G19'],
  ),
];
