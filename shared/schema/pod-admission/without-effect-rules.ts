import { qualifiedNameErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, invalid, notSupported, required } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import type { ContainerShape, PodSpecShape } from '../pod/pod-shape.ts';

/** Where the kubelet looks for a container's last words, if nothing else is said. */
export const DEFAULT_MESSAGE_PATH = '/dev/termination-log';
/** The name of Kubernetes' own scheduler. */
export const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Kubernetes' rules for fields of a Pod that have no effect here (`ValidatePodDNSConfig`, `validateReadinessGates`).
 *
 * @param path the path of the Pod's spec
 */
export function withoutEffectErrors(
  path: string,
  { dnsConfig, readinessGates = [] }: PodSpecShape,
): readonly FieldError[] {
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  const at = `${path}.dnsConfig`;
  return [
    ...options.flatMap(({ name = '' }, i) =>
      name === '' ? [required(`${at}.options[${i}]`, 'must not be empty')] : [],
    ),
    ...(nameservers.length > 0
      ? [refusedValue(`${at}.nameservers`, "leave it out: Fargate asks the VPC's name servers")]
      : []),
    ...(searches.length > 0
      ? [refusedValue(`${at}.searches`, 'leave it out, and write whole names: Fargate has no search domain')]
      : []),
    ...readinessGates.flatMap(({ conditionType = '' }, i) =>
      qualifiedNameErrors(conditionType).map((fault) =>
        invalid(`${path}.readinessGates[${i}].conditionType`, conditionType, fault),
      ),
    ),
  ];
}

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

/**
 * Kubernetes' rules for how a container is resized (`validateResizePolicy`), which never happens here.
 *
 * @param path the path of the list
 */
export function resizeErrors(
  path: string,
  { resizePolicy = [] }: ContainerShape,
  { restartPolicy: ofPod }: PodSpecShape,
): readonly FieldError[] {
  const seen = new Set<string>();
  return resizePolicy.flatMap(({ resourceName = '', restartPolicy = '' }) => {
    const errors: FieldError[] = seen.has(resourceName) ? [duplicate(path, resourceName)] : [];
    seen.add(resourceName);
    if (resourceName === '') errors.push(required(path));
    else if (!RESIZED.includes(resourceName)) errors.push(notSupported(path, resourceName, RESIZED));
    if (restartPolicy === '') errors.push(required(path));
    else if (!RESIZE_POLICIES.includes(restartPolicy)) errors.push(notSupported(path, restartPolicy, RESIZE_POLICIES));
    else if (ofPod === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    return errors;
  });
}

/** Sentences on what a Pod says without effect. */
export function withoutEffectWarnings(path: string, spec: PodSpecShape): readonly string[] {
  const { schedulerName = '', priority = 0, dnsConfig, readinessGates = [] } = spec;
  const said: readonly (readonly [boolean, string])[] = [
    [
      schedulerName !== '' && schedulerName !== DEFAULT_SCHEDULER,
      'schedulerName: has no effect: Muster launches the tasks, and Fargate places them',
    ],
    [priority !== 0, 'priority: has no effect: Fargate has no priorities'],
    [
      (dnsConfig?.options ?? []).length > 0,
      "dnsConfig.options: has no effect: tasks resolve names as the VPC's resolver does",
    ],
    [
      readinessGates.length > 0,
      'readinessGates: has no effect: nothing routes to a Job, and a Pod is ready when it runs',
    ],
  ];
  return said.flatMap(([isSaid, sentence]) => (isSaid ? [`${path}.${sentence}`] : []));
}

/** A sentence on a file for a container's last words, which nobody reads. */
export const messagePathWarnings = (
  path: string,
  { terminationMessagePath: file = '' }: ContainerShape,
): readonly string[] =>
  file === '' || file === DEFAULT_MESSAGE_PATH
    ? []
    : [
        `${path}.terminationMessagePath: has no effect: nobody reads this file; print the message, with terminationMessagePolicy FallbackToLogsOnError`,
      ];
