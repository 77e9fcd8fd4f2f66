import { ADDRESS_FIELDS } from '../../domain/manifests/pod-spec.ts';
import { STOP_TIMEOUT_MAX_SEC } from '../../domain/task/pod-template.ts';
import { shellVariableWarnings } from './command-rules.ts';
import { placementWarnings } from './placement-rules.ts';
import type { ContainerShape, PodSpecShape } from './pod-shape.ts';
import { writerOf } from './volume-owner-rules.ts';

/**
 * Warnings for the client about values that behave differently here.
 *
 * @param columns those of the Job's work list, which are variables of every container
 */
export function templateWarnings(path: string, spec: PodSpecShape, columns: readonly string[]): readonly string[] {
  const { containers = [], initContainers = [], terminationGracePeriodSeconds = 0 } = spec;
  const main = containers[0]?.name ?? '';
  const warnings = containers
    .slice(1)
    .map(
      (_, i) =>
        `${path}.containers[${i + 1}]: runs beside "${main}"; the Pod ends when "${main}" ends, whatever this container does`,
    );
  if (terminationGracePeriodSeconds > STOP_TIMEOUT_MAX_SEC)
    warnings.push(
      `${path}.terminationGracePeriodSeconds: Fargate kills containers that have not ended after ${STOP_TIMEOUT_MAX_SEC} seconds`,
    );
  if (spec.automountServiceAccountToken === true)
    warnings.push(
      `${path}.automountServiceAccountToken: no token is mounted; the program finds no ServiceAccount's token`,
    );
  warnings.push(...placementWarnings(path, spec));
  if (spec.securityContext?.fsGroup !== undefined)
    warnings.push(`${path}.securityContext.fsGroup: has no effect: volumes keep the owner that they have`);
  const all = [
    ...initContainers.map((c, i) => ({ c, at: `${path}.initContainers[${i}]` })),
    ...containers.map((c, i) => ({ c, at: `${path}.containers[${i}]` })),
  ];
  return [...warnings, ...all.flatMap(({ c, at }) => containerWarnings(at, c, spec, columns))];
}

function containerWarnings(
  path: string,
  c: ContainerShape,
  spec: PodSpecShape,
  columns: readonly string[],
): readonly string[] {
  const warnings: string[] = [];
  warnings.push(...shellVariableWarnings(path, c, columns));
  const seen = new Set<string>();
  for (const [i, { name = '', valueFrom }] of (c.env ?? []).entries()) {
    const { fieldPath = '' } = valueFrom?.fieldRef ?? {};
    if (ADDRESS_FIELDS.has(fieldPath))
      warnings.push(
        `${path}.env[${i}].valueFrom.fieldRef.fieldPath: ${fieldPath} is empty on Fargate, which gives an address after launch: let the program ask the task metadata endpoint ($ECS_CONTAINER_METADATA_URI_V4); with muster local it is the task's address`,
      );
    if (seen.has(name)) warnings.push(`${path}.env[${i}]: hides previous definition of "${name}"`);
    seen.add(name);
  }
  if (c.imagePullPolicy === 'Never')
    warnings.push(
      `${path}.imagePullPolicy: Fargate pulls the image for every task all the same; muster local --driver docker does as it says`,
    );
  if (c.securityContext?.allowPrivilegeEscalation === false)
    warnings.push(
      `${path}.securityContext.allowPrivilegeEscalation: Fargate cannot forbid it; leave set-user-ID programs out of the image`,
    );
  const user = writerOf(c, spec);
  if (user !== null)
    warnings.push(
      `${path}.volumeMounts: a volume on Fargate belongs to root; user ${user} may write to it only if the image has the folder, owned by that user, as a VOLUME`,
    );
  return warnings;
}
