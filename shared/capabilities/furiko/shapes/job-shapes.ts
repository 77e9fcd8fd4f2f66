import {
  BOOL,
  INT32,
  INT64,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  TIME,
  ZERO_SHOWN,
} from '../../../schema/kinds/field.ts';
import { atomicMapOf, field, listOf, object } from '../../../schema/kinds/field.ts';
import { FURIKO } from './openapi-prefix.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** Furiko's Job, `execution.furiko.io/v1alpha1`: what its users write. */
export const FURIKO_JOB_KINDS = {
  FurikoJob: {
    openapi: `${FURIKO}.Job`,
    kind: 'Job',
    description: 'One run of a JobConfig, or of a template of its own: a task for each index, tried again if it fails.',
    apiVersion: 'execution.furiko.io/v1alpha1',
    jsonOnly: true,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations. The name has at most 60 characters.'),
      spec: field(2, object('FurikoJobSpec'), 'What to run, and when.'),
      status: field(3, object('FurikoJobStatus'), 'How far it has come. Set by Muster.'),
    },
  },
  FurikoJobSpec: {
    openapi: `${FURIKO}.JobSpec`,
    description: 'What a Job runs, when it starts, and when it ends.',
    fields: {
      configName: field(
        1,
        STRING,
        'The JobConfig of the same namespace that the Job is made from: its template, labels and annotations. Only for new Jobs; it is not shown.',
      ),
      type: field(2, STRING, 'Adhoc, the default, or Scheduled. It cannot be changed.'),
      startPolicy: field(3, object('FurikoStartPolicy'), 'When it starts. It cannot be changed once it has started.'),
      template: field(
        4,
        object('FurikoJobTemplate'),
        'What its tasks run. A Job with configName has that of its JobConfig.',
      ),
      optionValues: field(5, STRING, 'Values for the options of its JobConfig, as JSON or YAML. It cannot be changed.'),
      substitutions: field(
        6,
        STRING_MAP,
        'Values for variables, which win over all others, such as option.name. It cannot be changed.',
      ),
      killTimestamp: field(
        7,
        TIME,
        'When the Job is stopped, if it has not ended by then. It may be changed until then.',
        ZERO_SHOWN,
      ),
      ttlSecondsAfterFinished: field(
        8,
        INT64,
        'Seconds after its end at which it is deleted. Defaults to 3600.',
        ZERO_SHOWN,
      ),
    },
  },
  FurikoStartPolicy: {
    openapi: `${FURIKO}.StartPolicySpec`,
    description: 'When a Job starts.',
    fields: {
      concurrencyPolicy: field(
        1,
        STRING,
        'What happens if its JobConfig has as many active Jobs as it may: Allow starts it, Forbid refuses it, Enqueue lets it wait. Defaults to that of the JobConfig.',
      ),
      startAfter: field(2, TIME, 'It does not start before.', ZERO_SHOWN),
    },
  },
  FurikoJobTemplate: {
    openapi: `${FURIKO}.JobTemplate`,
    description: 'What the tasks of a Job run, and how often they are tried.',
    fields: {
      taskTemplate: field(1, object('FurikoTaskTemplate'), 'What each task runs.', REQUIRED),
      parallelism: field(
        2,
        object('FurikoParallelism'),
        'Several tasks, each with an index of its own. A Job without it has one.',
        ZERO_SHOWN,
      ),
      maxAttempts: field(
        3,
        INT64,
        'How often each index is tried, 1 to 50. Defaults to 1. It cannot be changed.',
        ZERO_SHOWN,
      ),
      retryDelaySeconds: field(
        4,
        INT64,
        'Seconds between the end of a task and the next one of the same index. Defaults to 0. It cannot be changed.',
        ZERO_SHOWN,
      ),
      taskPendingTimeoutSeconds: field(
        5,
        INT64,
        'Seconds after which a task that does not run yet counts as failed; 0 is for ever. Defaults to 900.',
        ZERO_SHOWN,
      ),
      forbidTaskForceDeletion: field(
        6,
        BOOL,
        'No effect: Muster never starts a second task of an index before the first one has ended.',
      ),
    },
  },
  FurikoTaskTemplate: {
    openapi: `${FURIKO}.TaskTemplate`,
    description: 'What each task runs.',
    fields: {
      pod: field(
        1,
        object('PodTemplateSpec'),
        'A Pod, with variables such as ${task.index_num} in images, commands, arguments and values of variables. Its restartPolicy is Never, the default, or OnFailure.',
        REQUIRED,
      ),
    },
  },
  FurikoParallelism: {
    openapi: `${FURIKO}.ParallelismSpec`,
    description:
      'The indexes of a Job. Exactly one of withCount, withKeys and withMatrix is given. It cannot be changed.',
    fields: {
      withCount: field(1, INT64, 'As many indexes, numbered from 0: ${task.index_num}.', ZERO_SHOWN),
      withKeys: field(2, STRINGS, 'An index for each key: ${task.index_key}.'),
      withMatrix: field(
        3,
        atomicMapOf(STRINGS),
        'Values by name, and an index for each combination: ${task.index_matrix.NAME}. The first name, in byte order, changes slowest.',
      ),
      completionStrategy: field(
        4,
        STRING,
        'AllSuccessful, the default: all indexes must succeed, and the Job fails once one has failed. AnySuccessful: one must succeed, and the Job fails once all have failed.',
      ),
    },
  },
  FurikoJobStatus: {
    openapi: `${FURIKO}.JobStatus`,
    description: 'How far a Job has come.',
    fields: {
      phase: field(
        1,
        STRING,
        'One word: Queued, Starting, Pending, Running, RetryBackoff, Retrying, Terminating, Killing, Succeeded, Failed, Killed or AdmissionError.',
      ),
      state: field(2, STRING, 'The same, coarser: Queued, Waiting, Running or Finished.'),
      condition: field(3, object('FurikoJobCondition'), 'The same, with details.'),
      startTime: field(4, TIME, 'When it started.', ZERO_SHOWN),
      createdTasks: field(5, INT64, 'How many tasks it has had.', REQUIRED),
      runningTasks: field(6, INT64, 'How many of them run.', REQUIRED),
      tasks: field(7, listOf(object('FurikoTaskRef')), 'Its tasks, oldest first.'),
      tasksTruncated: field(8, BOOL, 'It has too many tasks to list them here: they are Pods, and listed as such.'),
      parallelStatus: field(9, object('FurikoParallelStatus'), 'Its indexes, if it has parallelism.', ZERO_SHOWN),
    },
  },
  FurikoJobCondition: {
    openapi: `${FURIKO}.JobCondition`,
    description: 'Where a Job stands. Exactly one of its fields is set.',
    fields: {
      queueing: field(1, object('FurikoQueueing'), 'It has not started.', ZERO_SHOWN),
      waiting: field(2, object('FurikoWaiting'), 'It waits for tasks to start, or to stop.', ZERO_SHOWN),
      running: field(
        3,
        object('FurikoRunning'),
        'All of its tasks run, or it is decided and they are being stopped.',
        ZERO_SHOWN,
      ),
      finished: field(4, object('FurikoFinished'), 'It is over.', ZERO_SHOWN),
    },
  },
  FurikoQueueing: {
    openapi: `${FURIKO}.JobConditionQueueing`,
    description: 'Why a Job has not started.',
    fields: {
      reason: field(1, STRING, 'NotYetDue: it starts later. Queued: it waits for its turn.'),
      message: field(2, STRING, 'A sentence.'),
    },
  },
  FurikoWaiting: {
    openapi: `${FURIKO}.JobConditionWaiting`,
    description: 'What a Job waits for.',
    fields: {
      reason: field(1, STRING, 'PendingCreation, RetryBackoff, WaitingForTasks or DeletingTasks.'),
      message: field(2, STRING, 'A sentence.'),
    },
  },
  FurikoRunning: {
    openapi: `${FURIKO}.JobConditionRunning`,
    description: 'How a Job runs.',
    fields: {
      latestTaskCreationTimestamp: field(1, TIME, 'When its latest task was created.', ZERO_SHOWN),
      latestRunningTimestamp: field(2, TIME, 'When a task began to run last.', ZERO_SHOWN),
      terminatingTasks: field(3, INT64, 'How many tasks are being stopped, because the Job is decided.'),
    },
  },
  FurikoFinished: {
    openapi: `${FURIKO}.JobConditionFinished`,
    description: 'How a Job has ended.',
    fields: {
      latestCreationTimestamp: field(1, TIME, 'When its latest task was created.', ZERO_SHOWN),
      latestRunningTimestamp: field(2, TIME, 'When a task began to run last.', ZERO_SHOWN),
      finishTime: field(3, TIME, 'When its last task ended.', REQUIRED),
      result: field(4, STRING, 'Success, Failed, AdmissionError or Killed.', REQUIRED),
      reason: field(5, STRING, 'Why, in one word.'),
      message: field(6, STRING, 'Why, in a sentence.'),
    },
  },
  FurikoTaskRef: {
    openapi: `${FURIKO}.TaskRef`,
    description: 'A task of a Job.',
    fields: {
      name: field(1, STRING, 'The name of its Pod.', REQUIRED),
      creationTimestamp: field(2, TIME, 'When it was created.', REQUIRED),
      runningTimestamp: field(3, TIME, 'When it began to run.', ZERO_SHOWN),
      finishTimestamp: field(4, TIME, 'When it ended.', ZERO_SHOWN),
      retryIndex: field(5, INT64, 'Which attempt of its index it is, from 0.', REQUIRED),
      parallelIndex: field(6, object('FurikoParallelIndex'), 'Its index, if the Job has parallelism.', ZERO_SHOWN),
      status: field(7, object('FurikoTaskStatus'), 'Where it stands.', REQUIRED),
      deletedStatus: field(8, object('FurikoTaskStatus'), 'Why it was stopped, if it was.', ZERO_SHOWN),
      nodeName: field(9, STRING, 'The node of its Pod.'),
      containerStates: field(10, listOf(object('FurikoContainerState')), 'How its containers have ended.', REQUIRED),
    },
  },
  FurikoTaskStatus: {
    openapi: `${FURIKO}.TaskStatus`,
    description: 'Where a task stands.',
    fields: {
      state: field(1, STRING, 'Starting, Running, Killing, Terminated or DeletedFinalStateUnknown.', REQUIRED),
      result: field(2, STRING, 'Succeeded, Failed or Killed, once it is Terminated.'),
      reason: field(3, STRING, 'Why, in one word.'),
      message: field(4, STRING, 'Why, in a sentence.'),
    },
  },
  FurikoContainerState: {
    openapi: `${FURIKO}.TaskContainerState`,
    description: 'How a container has ended.',
    fields: {
      exitCode: field(1, INT32, 'Its exit code.', REQUIRED),
      signal: field(2, INT32, 'Never set: the exit code tells.'),
      reason: field(3, STRING, 'Why, in one word.'),
      message: field(4, STRING, 'Why, in a sentence.'),
      containerID: field(5, STRING, 'Never set.'),
    },
  },
  FurikoParallelIndex: {
    openapi: `${FURIKO}.ParallelIndex`,
    description: 'Which index it is. One of its fields is set.',
    fields: {
      indexNumber: field(1, INT64, 'The number, with withCount.', ZERO_SHOWN),
      indexKey: field(2, STRING, 'The key, with withKeys.'),
      matrixValues: field(3, atomicMapOf(STRING), 'The values by name, with withMatrix.'),
    },
  },
  FurikoParallelStatus: {
    openapi: `${FURIKO}.ParallelStatus`,
    description: 'The indexes of a Job.',
    fields: {
      complete: field(1, BOOL, 'The strategy has decided the Job.', REQUIRED),
      successful: field(2, BOOL, 'How.', ZERO_SHOWN),
      indexes: field(3, listOf(object('FurikoIndexStatus')), 'Every index, in order.', REQUIRED),
      indexesTruncated: field(4, BOOL, 'It has too many indexes to list them here.'),
    },
  },
  FurikoIndexStatus: {
    openapi: `${FURIKO}.ParallelIndexStatus`,
    description: 'Where an index stands.',
    fields: {
      index: field(1, object('FurikoParallelIndex'), 'Which one it is.', REQUIRED),
      hash: field(2, STRING, 'A short word for it, which others may share.', REQUIRED),
      createdTasks: field(3, INT64, 'How many tasks it has had.', REQUIRED),
      state: field(4, STRING, 'NotCreated, RetryBackoff, Starting, Running or Terminated.', REQUIRED),
      result: field(5, STRING, 'Succeeded, Failed, Killed, or Stopped: the Job was decided before the index could be.'),
      reason: field(6, STRING, 'Why it was killed or stopped.'),
    },
  },
} as const satisfies KindTable;
