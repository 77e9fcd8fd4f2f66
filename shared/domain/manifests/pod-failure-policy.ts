import type { PodFailurePolicy, PolicyAction } from './manifest.ts';

/** A failed Pod as the policy sees it (KEP-3329): its containers' exit codes, and its conditions. */
export type FailedPod = {
  /** Containers that exited with a code other than 0; app containers before init containers. */
  readonly exitCodes: readonly { readonly container: string; readonly exitCode: number }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
};

export type PolicyMatch = {
  /** Its position in the policy. */
  readonly rule: number;
  readonly action: PolicyAction;
  /** Upstream's words for what matched, e.g. "condition DisruptionTarget". */
  readonly what: string;
} & (
  | { readonly on: 'exitCode'; readonly container: string; readonly exitCode: number }
  | { readonly on: 'condition'; readonly type: string }
);

/** The first rule that matches; null: none does, and the failure counts as if there were no policy. */
export function matchPodFailurePolicy({ rules }: PodFailurePolicy, pod: FailedPod): PolicyMatch | null {
  for (const [rule, { action, onExitCodes, onPodConditions }] of rules.entries()) {
    if (onExitCodes !== undefined) {
      const { containerName, operator, values } = onExitCodes;
      const found = pod.exitCodes.find(
        ({ container, exitCode }) =>
          (containerName === undefined || container === containerName) &&
          (operator === 'In' ? values.includes(exitCode) : !values.includes(exitCode)),
      );
      if (found !== undefined) return { rule, action, what: `exit code ${found.exitCode}`, on: 'exitCode', ...found };
    } else {
      const found = onPodConditions?.find((pattern) =>
        pod.conditions.some(({ type, status }) => type === pattern.type && status === pattern.status),
      );
      if (found !== undefined) {
        return { rule, action, what: `condition ${found.type}`, on: 'condition', type: found.type };
      }
    }
  }
  return null;
}

/** The whole Job fails, not only the attempt or its index. */
export const failsJob = ({ action }: PolicyMatch): boolean => FAILS_JOB[action];

const FAILS_JOB: Readonly<Record<PolicyAction, boolean>> = {
  FailJob: true,
  FailIndex: false,
  Ignore: false,
  Count: false,
};

/** The message of the condition FailureTarget when a rule that fails the Job matched (kubernetes-job.md 3.1). */
export const failJobMessage = (match: PolicyMatch, namespacedPod: string): string =>
  match.on === 'exitCode'
    ? `Container ${match.container} for pod ${namespacedPod} failed with exit code ${match.exitCode} matching ${match.action} rule at index ${match.rule}`
    : `Pod ${namespacedPod} has condition ${match.type} matching ${match.action} rule at index ${match.rule}`;
