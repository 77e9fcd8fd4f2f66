import type { PodOwner } from '../../domain/task/container-env.ts';
import type { HostFolders } from '../../domain/task/volumes/host-folders.ts';
import type { PodSpec } from '../../domain/manifests/pod-spec.ts';
import type { FieldError } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';
import { groupErrors } from './group-rules.ts';
import { mountPlaceErrors } from './mount-rules.ts';

/**
 * What a Pod that is valid otherwise cannot have on Fargate.
 *
 * @param path the path of the Pod's spec
 * @param folders null: tasks run there
 */
export function fargateErrors(path: string, owner: PodOwner, folders: HostFolders): readonly FieldError[] {
  if (folders !== null) return [];
  const { spec } = owner.spec.template;
  return [
    ...mountPlaceErrors(path, owner),
    ...groupErrors(path, spec),
    ...inputErrors(path, spec),
    ...tokenErrors(path, spec),
  ];
}

/** A program that waits for input would get none, and end as if there were none: its result would be another. */
const inputErrors = (path: string, { containers, initContainers = [] }: PodSpec): readonly FieldError[] =>
  Object.entries({ initContainers, containers }).flatMap(([list, members]) =>
    members.flatMap(({ stdin }, i) =>
      stdin === true
        ? [
            refusedValue(
              `${path}.${list}[${i}].stdin`,
              'leave it out: nothing can be sent to a task on Fargate; let the program read a file, or a ConfigMap',
            ),
          ]
        : [],
    ),
  );

/** Nothing on Fargate signs tokens, and a file that is written once would be worth nothing after an hour. */
const tokenErrors = (path: string, { volumes = [] }: PodSpec): readonly FieldError[] =>
  volumes.flatMap(({ projected }, i) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) =>
      serviceAccountToken === undefined
        ? []
        : [
            refusedValue(
              `${path}.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
              'leave it out: no token is mounted, and a task has its AWS role',
            ),
          ],
    ),
  );
