import { type Askable, askable } from './question.ts';
import { protobuf, unsigned, warnings } from './questions/bodies.ts';
import { deletePod, suspend } from './questions/changes.ts';
import { counted } from './questions/counting.ts';
import { deprovisioning, stoppedTask, tags } from './questions/ecs.ts';
import { exitCodes, mainContainer, retry } from './questions/ends.ts';
import { environment, oneStart, spot, spotArm } from './questions/launches.ts';
import { names } from './questions/names.ts';
import { cron, dependency, workList } from './questions/schedules.ts';
import { followedLog, idleWatch, logs } from './questions/streams.ts';

/** Every question; those that take longest are asked first. */
export const ALL_QUESTIONS: readonly Askable[] = [
  askable(idleWatch),
  askable(cron),
  askable(suspend),
  askable(deletePod),
  askable(names),
  askable(followedLog),
  askable(exitCodes),
  askable(mainContainer),
  askable(retry),
  askable(oneStart),
  askable(environment),
  askable(spot),
  askable(spotArm),
  askable(counted),
  askable(logs),
  askable(workList),
  askable(dependency),
  askable(tags),
  askable(stoppedTask),
  askable(deprovisioning),
  askable(warnings),
  askable(protobuf),
  askable(unsigned),
];
