import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { annotationKeys } from '../../domain/manifests/annotations/explained.ts';
import { BATCH, BOOL, INT32, INT64, REQUIRED, STRING, TIME, ZERO_SHOWN, field, listOf, object } from './field.ts';
import type { KindTable } from './kind-table.ts';

/** `batch/v1`: Jobs and their parts. */
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
        `Name, namespace, labels and annotations. The annotations ${annotationKeys('Job')} change how Muster runs the Job: see their explanation at annotations.`,
      ),
      spec: field(2, object('JobSpec'), 'What to run, how many times, and how much at once.'),
      status: field(
        3,
        object('JobStatus'),
        'The progress of the Job. Set by Muster, or by the controller named in managedBy. Clients may change it only through the status subresource.',
      ),
    },
  },
  JobSpec: {
    openapi: `${BATCH}.JobSpec`,
    description: 'What a Job runs, and the rules for its success and failure.',
    fields: {
      parallelism: field(
        1,
        INT32,
        'The maximum number of Pods that run at once. Defaults to 1, up to 100,000. May change at any time.',
        ZERO_SHOWN,
      ),
      completions: field(
        2,
        INT32,
        'The number of Pods that must succeed. Defaults to 1, up to 1,000,000. A NonIndexed Job with parallelism and without completions is a work queue: it is complete when one Pod has succeeded and no Pod is left. An Indexed Job may change it together with parallelism.',
        ZERO_SHOWN,
      ),
      activeDeadlineSeconds: field(
        3,
        INT64,
        'Seconds after the start or the last resume of the Job at which it fails with reason DeadlineExceeded.',
        ZERO_SHOWN,
      ),
      podFailurePolicy: field(
        11,
        object('PodFailurePolicy'),
        'How a failed Pod counts, by exit code or Pod condition. Applied before backoffLimit. Requires restartPolicy Never.',
      ),
      successPolicy: field(
        16,
        object('SuccessPolicy'),
        'Completes the Job early, when the listed indexes have succeeded. Requires completionMode Indexed.',
      ),
      backoffLimit: field(
        7,
        INT32,
        `The number of retries before the Job fails. Defaults to 6, or to 2147483647 (no limit) with backoffLimitPerIndex. Retries wait 10 s, doubling to 10 min. Lost infrastructure has its own budget: see the annotation ${ANNOTATIONS.disruptions}.`,
        ZERO_SHOWN,
      ),
      backoffLimitPerIndex: field(
        12,
        INT32,
        'The number of retries of one index before this index fails. Other indexes continue. Requires completionMode Indexed and restartPolicy Never.',
        ZERO_SHOWN,
      ),
      maxFailedIndexes: field(
        13,
        INT32,
        'The whole Job fails if more indexes than this fail. Requires backoffLimitPerIndex.',
        ZERO_SHOWN,
      ),
      selector: field(
        4,
        object('LabelSelector'),
        "Selects the Job's Pods. Muster sets it; set it only with manualSelector.",
      ),
      manualSelector: field(5, BOOL, 'Use the selector and the labels as given, and generate none.', ZERO_SHOWN),
      template: field(
        6,
        object('PodTemplateSpec'),
        'The Pod that each index runs as one Fargate task; restartPolicy is Never or OnFailure.',
        REQUIRED,
      ),
      ttlSecondsAfterFinished: field(
        8,
        INT32,
        'Seconds after its end at which a finished Job is deleted. Defaults to never.',
        ZERO_SHOWN,
      ),
      completionMode: field(
        9,
        STRING,
        'Indexed: every Pod has a number from 0 to completions - 1 in the environment variable JOB_COMPLETION_INDEX. NonIndexed, the default: Pods are interchangeable.',
        ZERO_SHOWN,
      ),
      suspend: field(
        10,
        BOOL,
        'True stops all Pods and starts none. False resumes the Job when the stopped Pods have ended.',
        ZERO_SHOWN,
      ),
      podReplacementPolicy: field(
        14,
        STRING,
        'Failed, the default: a Pod is replaced after it has ended, so an index never runs twice at once. TerminatingOrFailed: a Pod is also replaced while it terminates.',
        ZERO_SHOWN,
      ),
      managedBy: field(
        15,
        STRING,
        'The name of another controller. Muster then stores the Job and never runs it.',
        ZERO_SHOWN,
      ),
    },
  },
  JobStatus: {
    openapi: `${BATCH}.JobStatus`,
    description: 'The progress of a Job.',
    fields: {
      conditions: field(
        1,
        { is: 'list', of: object('JobCondition'), apply: 'atomic', patch: { key: 'type' } },
        'Suspended, SuccessCriteriaMet, Complete, FailureTarget, and Failed, each with reason and message. kubectl wait checks them.',
      ),
      startTime: field(2, TIME, 'When the Job started, or was last resumed.'),
      completionTime: field(3, TIME, 'When the Job completed. Not set if it failed.'),
      active: field(4, INT32, 'The number of Pods that are pending or running and not terminating.'),
      succeeded: field(5, INT32, 'The number of succeeded Pods, or of succeeded indexes of an Indexed Job.'),
      failed: field(
        6,
        INT32,
        'The number of failed Pods, as podFailurePolicy counts them. Pods lost to infrastructure do not count until their budget is used up.',
      ),
      terminating: field(11, INT32, 'The number of terminating Pods.', ZERO_SHOWN),
      completedIndexes: field(7, STRING, 'The indexes that have succeeded, such as 1,3-5,7.'),
      failedIndexes: field(
        10,
        STRING,
        'The indexes that have exceeded backoffLimitPerIndex, in the same form.',
        ZERO_SHOWN,
      ),
      uncountedTerminatedPods: field(
        8,
        object('UncountedTerminatedPods'),
        'Empty if Muster runs the Job, because it counts in one write.',
      ),
      ready: field(9, INT32, 'The number of running Pods.', ZERO_SHOWN),
    },
  },
  JobCondition: {
    openapi: `${BATCH}.JobCondition`,
    description: 'A condition of a Job.',
    fields: {
      type: field(1, STRING, 'Suspended, SuccessCriteriaMet, Complete, FailureTarget or Failed.', REQUIRED),
      status: field(2, STRING, 'True, False or Unknown.', REQUIRED),
      lastProbeTime: field(3, TIME, 'The same as lastTransitionTime.'),
      lastTransitionTime: field(4, TIME, 'When the status last changed.'),
      reason: field(5, STRING, 'The cause as one word, such as BackoffLimitExceeded or LaunchRefused.'),
      message: field(6, STRING, 'The cause as a sentence.'),
    },
  },
  UncountedTerminatedPods: {
    openapi: `${BATCH}.UncountedTerminatedPods`,
    description: "Pods between two writes of Kubernetes' controller. Muster has none.",
    fields: {
      succeeded: field(1, { is: 'list', of: STRING, apply: 'set', patch: 'replace' }, 'Always empty.'),
      failed: field(2, { is: 'list', of: STRING, apply: 'set', patch: 'replace' }, 'Always empty.'),
    },
  },
  PodFailurePolicy: {
    openapi: `${BATCH}.PodFailurePolicy`,
    description: 'How failed Pods count.',
    fields: {
      rules: field(
        1,
        listOf(object('PodFailurePolicyRule')),
        'At most 20 rules, checked in order. The first match decides. A Pod without a match counts against backoffLimit.',
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
      containerName: field(
        1,
        STRING,
        'The container whose exit code is checked. Defaults to any container.',
        ZERO_SHOWN,
      ),
      operator: field(2, STRING, 'In or NotIn.', REQUIRED),
      values: field(
        3,
        { is: 'list', of: INT32, apply: 'set', patch: 'replace' },
        'Exit codes, 1 to 255, in ascending order without duplicates. 0 is allowed only with NotIn.',
        REQUIRED,
      ),
    },
  },
  PodFailurePolicyOnPodConditionsPattern: {
    openapi: `${BATCH}.PodFailurePolicyOnPodConditionsPattern`,
    description: 'A condition to match.',
    fields: {
      type: field(1, STRING, 'Type of the condition, such as DisruptionTarget.', REQUIRED),
      status: field(2, STRING, 'True, False, or Unknown. Defaults to True.', REQUIRED),
    },
  },
  SuccessPolicy: {
    openapi: `${BATCH}.SuccessPolicy`,
    description: 'When an Indexed Job is complete before all its indexes are.',
    fields: {
      rules: field(
        1,
        listOf(object('SuccessPolicyRule')),
        'At most 20 rules. The Job is complete as soon as one of them is met.',
        REQUIRED,
      ),
    },
  },
  SuccessPolicyRule: {
    openapi: `${BATCH}.SuccessPolicyRule`,
    description: 'One rule. With both fields, succeededCount of the listed indexes must succeed.',
    fields: {
      succeededIndexes: field(
        1,
        STRING,
        'Indexes that must all succeed, such as 0,2-4. If omitted, only the count decides.',
        ZERO_SHOWN,
      ),
      succeededCount: field(2, INT32, 'How many indexes must succeed.', ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
