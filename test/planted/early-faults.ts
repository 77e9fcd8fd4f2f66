import { type PlantedFault, one } from './planted-fault.ts';

const ECS_TASK = 'shared/schema/messages/ecs-task.ts';
const FOLD_FACTS = 'shared/domain/planner/fold-facts.ts';

const DECISIVE_CONTAINER = 'shared/domain/task/decisive-container.ts';

/** Mistakes in how an end is read, and in what counts before a task is STOPPED. */
export const EARLY_FAULTS: readonly PlantedFault[] = [
  one(
    'an index that was counted at DEPROVISIONING is counted again at STOPPED',
    FOLD_FACTS,
    'isActive(record.state) && record.nonce === fact.nonce);',
    "(isActive(record.state) || (fact.kind === 'stopped' && record.state !== 'waiting')) && record.nonce === fact.nonce);",
    ['G2', 'G5', 'bug'],
  ),
  one(
    'the exit code of another container is taken at DEPROVISIONING',
    ECS_TASK,
    'const decisive = decisiveContainer(main, others, task.stoppedReason);',
    "const decisive = task.lastStatus === 'DEPROVISIONING' ? (task.containers.find(({ exitCode }) => exitCode !== undefined) ?? null) : decisiveContainer(main, others, task.stoppedReason);",
    ['G2', 'G5'],
  ),
  one(
    'a main container without an exit code has failed at DEPROVISIONING',
    ECS_TASK,
    'hasRunMain(task)\n',
    'mainContainer(task) !== undefined\n',
    ['G2', 'G5'],
  ),
  one(
    'the exit code that the agent makes up for what waited in vain is taken',
    DECISIVE_CONTAINER,
    'container.exitCode !== undefined && !waitedInVain(container);\n\n/** It never ran',
    'container.exitCode !== undefined;\n\n/** It never ran',
    ['G2', 'G5'],
  ),
  {
    name: 'a task that was stopped, and exits with 0, has succeeded at DEPROVISIONING',
    edits: [
      { file: ECS_TASK, find: "task.stopCode === 'EssentialContainerExited' &&", replace: '' },
      {
        file: ECS_TASK,
        find: 'const { stopCode = null } = task;',
        replace:
          "const stopCode = task.lastStatus === 'DEPROVISIONING' ? 'EssentialContainerExited' : (task.stopCode ?? null);",
      },
    ],
    breaks: ['G2', 'G5'],
  },
];
