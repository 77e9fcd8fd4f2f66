import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { Container } from '../../../domain/manifests/pod-spec.ts';
import type { FieldError } from '../../../schema/object/field-error.ts';
import { storageErrors } from '../../../schema/pod-admission/pod-rules.ts';
import type { ContainerShape } from '../../../schema/pod/pod-shape.ts';
import { resourceErrors } from '../../../schema/pod/resource-rules.ts';
import { taskErrors } from '../../../schema/job/task-limits.ts';

const SPEC = 'spec.template.spec';

/** What is wrong with a Job only because a LimitRange has filled in requests and limits, which its own do not fit. */
export function filledInErrors(manifest: JobManifest): readonly FieldError[] {
  const { spec } = manifest.spec.template;
  const { containers, initContainers = [] } = spec;
  return [
    ...Object.entries({ initContainers, containers }).flatMap(([list, members]) =>
      members.flatMap(({ resources }, i) => resourceErrors(`${SPEC}.${list}[${i}].resources`, shapeOf(resources))),
    ),
    ...storageErrors(spec),
    ...taskErrors(manifest, { isWhole: true }),
  ];
}

const shapeOf = (resources: Container['resources']): ContainerShape['resources'] =>
  resources === undefined ? undefined : { limits: { ...resources.limits }, requests: { ...resources.requests } };
