import { BATCH, BOOL, INT32, INT64, REQUIRED, STRING, TIME, ZERO_SHOWN, field, listOf, object } from './field.ts';
import type { KindTable } from './kind-table.ts';

/** `batch/v1`: Jobs, CronJobs and what they are made of. */
export const BATCH_KINDS = {
  Job: {
    openapi: `${BATCH}.Job`,
    description:
      'A piece of work that runs to completion: one Pod per completion index, each index counted exactly once.',
    apiVersion: 'batch/v1',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        'Name, namespace, labels and annotations. The annotations muster.run/disruptions and muster.run/pending-timeout-seconds change how Muster runs the Job.',
      ),
      spec: field(2, object('JobSpec'), 'What is to be run, how often and how much of it at a time.'),
      status: field(
        3,
        object('JobStatus'),
        'How far the Job is. Written by Muster, or by the controller that managedBy names; others write it at the path status only.',
      ),
    },
  },
  JobSpec: {
    openapi: `${BATCH}.JobSpec`,
    description: 'What a Job runs, and by which rules it is done or has failed.',
    fields: {
      parallelism: field(
        1,
        INT32,
        'Pods that run at a time, at most; 1 if left out, up to 100,000. May change at any time.',
        ZERO_SHOWN,
      ),
      completions: field(
        2,
        INT32,
        'Pods that must succeed; 1 if left out, up to 1,000,000. With completionMode NonIndexed it may be left out beside a parallelism: a work queue, done when one Pod has succeeded and none is left. With Indexed it may change together with parallelism.',
        ZERO_SHOWN,
      ),
      activeDeadlineSeconds: field(
        3,
        INT64,
        'Seconds, from the start of the Job or from its last resume, after which it fails with reason DeadlineExceeded.',
        ZERO_SHOWN,
      ),
      podFailurePolicy: field(
        11,
        object('PodFailurePolicy'),
        'Decides by exit code or by Pod condition what a failed Pod means, before backoffLimit is looked at. Needs restartPolicy Never.',
      ),
      successPolicy: field(
        16,
        object('SuccessPolicy'),
        'Ends the Job early, as a success, when the indexes that matter have succeeded. Needs completionMode Indexed.',
      ),
      backoffLimit: field(
        7,
        INT32,
        'Failed Pods that are retried before the Job fails; 6 if left out, without a limit (2147483647) beside backoffLimitPerIndex. Retries wait 10 s, doubling to 10 min. Lost infrastructure has a budget of its own: see the annotation muster.run/disruptions.',
        ZERO_SHOWN,
      ),
      backoffLimitPerIndex: field(
        12,
        INT32,
        'Failed Pods of one index that are retried before this index fails; the others go on. Needs completionMode Indexed and restartPolicy Never.',
        ZERO_SHOWN,
      ),
      maxFailedIndexes: field(
        13,
        INT32,
        'Failed indexes above which the whole Job fails. Beside backoffLimitPerIndex only.',
        ZERO_SHOWN,
      ),
      selector: field(
        4,
        object('LabelSelector'),
        "Which Pods are the Job's. Muster fills it in; write one only with manualSelector.",
      ),
      manualSelector: field(
        5,
        BOOL,
        'Take the selector and the labels as they are written, and generate none.',
        ZERO_SHOWN,
      ),
      template: field(
        6,
        object('PodTemplateSpec'),
        'The Pod that each index runs as one Fargate task; restartPolicy is Never or OnFailure.',
        REQUIRED,
      ),
      ttlSecondsAfterFinished: field(
        8,
        INT32,
        'Seconds after its end at which the finished Job is deleted; never if left out.',
        ZERO_SHOWN,
      ),
      completionMode: field(
        9,
        STRING,
        'Indexed: every Pod has a number from 0 to completions - 1, in the environment variable JOB_COMPLETION_INDEX. NonIndexed, the default: any completions Pods will do.',
        ZERO_SHOWN,
      ),
      suspend: field(
        10,
        BOOL,
        'True stops all Pods and starts none; false lets the Job go on once what was stopped has ended.',
        ZERO_SHOWN,
      ),
      podReplacementPolicy: field(
        14,
        STRING,
        'Failed, the default: a Pod is replaced when it has ended, so that one copy of an index runs at a time. TerminatingOrFailed: also as soon as it is being deleted.',
        ZERO_SHOWN,
      ),
      managedBy: field(
        15,
        STRING,
        'Name of another controller: Muster then keeps the Job and never runs it.',
        ZERO_SHOWN,
      ),
    },
  },
  JobStatus: {
    openapi: `${BATCH}.JobStatus`,
    description: 'How far a Job is.',
    fields: {
      conditions: field(
        1,
        { is: 'list', of: object('JobCondition'), apply: 'atomic', patch: { key: 'type' } },
        'Suspended, SuccessCriteriaMet, Complete, FailureTarget and Failed, each with reason and message. kubectl wait looks at them.',
      ),
      startTime: field(2, TIME, 'When the Job was started, or last resumed.'),
      completionTime: field(3, TIME, 'When the Job was complete; not there if it failed.'),
      active: field(4, INT32, 'Pods that are pending or running and not being stopped.'),
      succeeded: field(5, INT32, 'Pods that succeeded; with completionMode Indexed, indexes.'),
      failed: field(
        6,
        INT32,
        'Pods that failed, as podFailurePolicy counts them. Pods that lost infrastructure has taken are not among them while their budget lasts.',
      ),
      terminating: field(11, INT32, 'Pods that are being stopped.', ZERO_SHOWN),
      completedIndexes: field(7, STRING, 'The indexes that have succeeded, such as 1,3-5,7.'),
      failedIndexes: field(
        10,
        STRING,
        'The indexes that are beyond backoffLimitPerIndex, in the same form.',
        ZERO_SHOWN,
      ),
      uncountedTerminatedPods: field(
        8,
        object('UncountedTerminatedPods'),
        'Empty where Muster runs the Job, which counts in one write.',
      ),
      ready: field(9, INT32, 'Pods that are running.', ZERO_SHOWN),
    },
  },
  JobCondition: {
    openapi: `${BATCH}.JobCondition`,
    description: 'One thing that is so with a Job.',
    fields: {
      type: field(1, STRING, 'Suspended, SuccessCriteriaMet, Complete, FailureTarget or Failed.', REQUIRED),
      status: field(2, STRING, 'True, False or Unknown.', REQUIRED),
      lastProbeTime: field(3, TIME, 'The same as lastTransitionTime.'),
      lastTransitionTime: field(4, TIME, 'Since when it is so.'),
      reason: field(5, STRING, 'The cause as one word, such as BackoffLimitExceeded or LaunchRefused.'),
      message: field(6, STRING, 'The cause as a sentence.'),
    },
  },
  UncountedTerminatedPods: {
    openapi: `${BATCH}.UncountedTerminatedPods`,
    description: "Pods between two writes of Kubernetes' controller; with Muster there are none.",
    fields: {
      succeeded: field(1, { is: 'list', of: STRING, apply: 'set', patch: 'replace' }, 'Always empty.'),
      failed: field(2, { is: 'list', of: STRING, apply: 'set', patch: 'replace' }, 'Always empty.'),
    },
  },
  PodFailurePolicy: {
    openapi: `${BATCH}.PodFailurePolicy`,
    description: 'What failed Pods mean.',
    fields: {
      rules: field(
        1,
        listOf(object('PodFailurePolicyRule')),
        'At most 20, tried in order; the first that matches decides. A Pod that matches none counts against backoffLimit.',
        REQUIRED,
      ),
    },
  },
  PodFailurePolicyRule: {
    openapi: `${BATCH}.PodFailurePolicyRule`,
    description: 'One rule, with either onExitCodes or onPodConditions.',
    fields: {
      action: field(
        1,
        STRING,
        'FailJob ends the Job as failed, FailIndex ends the index as failed, Ignore retries and counts nothing, Count counts against the limits.',
        REQUIRED,
      ),
      onExitCodes: field(
        2,
        object('PodFailurePolicyOnExitCodesRequirement'),
        'Matches by the exit code of a container.',
      ),
      onPodConditions: field(
        3,
        listOf(object('PodFailurePolicyOnPodConditionsPattern')),
        'Matches by a condition of the Pod; DisruptionTarget, the one for lost infrastructure, is the only one that Muster sets.',
      ),
    },
  },
  PodFailurePolicyOnExitCodesRequirement: {
    openapi: `${BATCH}.PodFailurePolicyOnExitCodesRequirement`,
    description: 'Exit codes to match.',
    fields: {
      containerName: field(1, STRING, "Whose exit code; any container's if left out.", ZERO_SHOWN),
      operator: field(2, STRING, 'In or NotIn.', REQUIRED),
      values: field(
        3,
        { is: 'list', of: INT32, apply: 'set', patch: 'replace' },
        'Exit codes, 1 to 255, in ascending order without repeats; 0 beside NotIn only.',
        REQUIRED,
      ),
    },
  },
  PodFailurePolicyOnPodConditionsPattern: {
    openapi: `${BATCH}.PodFailurePolicyOnPodConditionsPattern`,
    description: 'A condition to match.',
    fields: {
      type: field(1, STRING, 'Type of the condition, such as DisruptionTarget.', REQUIRED),
      status: field(2, STRING, 'True, False or Unknown; True if left out.', REQUIRED),
    },
  },
  SuccessPolicy: {
    openapi: `${BATCH}.SuccessPolicy`,
    description: 'When an Indexed Job is done before all its indexes are.',
    fields: {
      rules: field(
        1,
        listOf(object('SuccessPolicyRule')),
        'At most 20; the Job is done as soon as one of them holds.',
        REQUIRED,
      ),
    },
  },
  SuccessPolicyRule: {
    openapi: `${BATCH}.SuccessPolicyRule`,
    description: 'One way to be done early; with both fields, succeededCount of the listed indexes must succeed.',
    fields: {
      succeededIndexes: field(
        1,
        STRING,
        'Indexes that must all succeed, such as 0,2-4; the count alone decides if left out.',
        ZERO_SHOWN,
      ),
      succeededCount: field(2, INT32, 'How many indexes must succeed.', ZERO_SHOWN),
    },
  },
  CronJob: {
    openapi: `${BATCH}.CronJob`,
    description:
      'A Job that is created on a schedule. Muster stores, checks and shows CronJobs, but follows no schedule yet: kubectl create job --from=cronjob/NAME creates the Job.',
    apiVersion: 'batch/v1',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        'Name, namespace, labels and annotations; the name has at most 52 characters.',
      ),
      spec: field(2, object('CronJobSpec'), 'The schedule, and the Job that it creates.'),
      status: field(
        3,
        object('CronJobStatus'),
        'Its Jobs that run, and when it last ran; written at the path status only.',
      ),
    },
  },
  CronJobSpec: {
    openapi: `${BATCH}.CronJobSpec`,
    description: 'A schedule and what it creates.',
    fields: {
      schedule: field(
        1,
        STRING,
        'Five fields as cron has them (minute, hour, day of month, month, day of week), or a word such as @daily.',
        REQUIRED,
      ),
      timeZone: field(8, STRING, 'Name from the IANA database, such as Europe/Berlin; UTC if left out.', ZERO_SHOWN),
      startingDeadlineSeconds: field(
        2,
        INT64,
        'Seconds by which a run may be late; a later one is skipped.',
        ZERO_SHOWN,
      ),
      concurrencyPolicy: field(
        3,
        STRING,
        'Allow, the default, lets runs overlap; Forbid skips a run while the last one goes on; Replace stops that one first.',
      ),
      suspend: field(4, BOOL, 'True creates no further Jobs; those that run go on.', ZERO_SHOWN),
      jobTemplate: field(5, object('JobTemplateSpec'), 'The Job of each run.', REQUIRED),
      successfulJobsHistoryLimit: field(6, INT32, 'Complete Jobs that are kept; 3 if left out.', ZERO_SHOWN),
      failedJobsHistoryLimit: field(7, INT32, 'Failed Jobs that are kept; 1 if left out.', ZERO_SHOWN),
    },
  },
  JobTemplateSpec: {
    openapi: `${BATCH}.JobTemplateSpec`,
    description: 'The Job that a CronJob creates.',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        "Labels and annotations of each Job, Muster's own annotations among them.",
      ),
      spec: field(2, object('JobSpec'), 'What each Job runs.'),
    },
  },
  CronJobStatus: {
    openapi: `${BATCH}.CronJobStatus`,
    description: 'What has become of a schedule.',
    fields: {
      active: field(1, listOf(object('ObjectReference')), 'Jobs of this CronJob that have not ended.'),
      lastScheduleTime: field(4, TIME, 'For which time it last created a Job.'),
      lastSuccessfulTime: field(5, TIME, 'When a Job of it last completed.'),
    },
  },
} as const satisfies KindTable;
