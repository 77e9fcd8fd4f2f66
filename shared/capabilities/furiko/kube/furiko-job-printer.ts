import type { EpochMs } from '../../../domain/base/time.ts';
import { ageOf } from '../../../kube/list/ages.ts';
import { NAME, AGE, type Printer, count, text } from '../../../kube/list/printer.ts';
import type { FurikoJobObject } from './furiko-face.ts';

/** Furiko's Jobs as rows: the columns of its custom resource. */
export const FURIKO_JOB_PRINTER: Printer<FurikoJobObject> = {
  columns: [
    NAME,
    AGE,
    text('Phase', 'Where it stands, in one word.'),
    count('Created Tasks', 'How many tasks it has had.'),
    count('Running Tasks', 'How many of them run.'),
    text('Run Time', 'Time since a task began to run last, while all of them run.'),
    text('Finish Time', 'Time since it ended.'),
  ],
  cells: ({ metadata, status }, now) => {
    const { phase, createdTasks, runningTasks, condition } = status;
    return [
      metadata.name,
      ageOf(metadata.creationTimestamp, now),
      phase,
      createdTasks,
      runningTasks,
      since('running' in condition ? condition.running.latestRunningTimestamp : null, now),
      since('finished' in condition ? condition.finished.finishTime : null, now),
    ];
  },
};

/** A cell that is empty for a time that is not known, or is none. */
const since = (time: string | null, now: EpochMs): string => (time === null ? '' : ageOf(time, now));

/** Nothing more will happen to it. */
export const isFurikoJobOver = ({ status }: FurikoJobObject): boolean => status.state === 'Finished';
