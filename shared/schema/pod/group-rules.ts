import type { PodSpec } from '../../domain/manifests/pod-spec.ts';
import {
  filesGroupOf,
  identityOf,
  outsiderOf,
  privateVolumesOf,
  strangersInOne,
} from '../../domain/task/volumes/volume-groups.ts';
import type { FieldError } from '../object/field-error.ts';
import { refusedValue } from '../object/refused-fields.ts';

/**
 * On Fargate a program has one group. So what makes sense only with more is refused: files that not everybody may read for programs of
 * several groups, and a group beside the program's own. Where tasks are on this machine, containers have all of their groups, and
 * processes those of their user.
 *
 * @param path the path of the Pod's spec
 */
export function groupErrors(path: string, spec: PodSpec): readonly FieldError[] {
  const [stranger] = strangersInOne(spec);
  const [volume] = stranger === undefined ? [] : privateVolumesOf(stranger, spec);
  const at = `${path}.securityContext`;
  return [
    ...(volume === undefined
      ? []
      : [
          refusedValue(
            `${at}.fsGroup`,
            `give all containers that mount volume ${JSON.stringify(volume.name)} one runAsGroup, or let all users read its files (mode 0444): on Fargate a program has one group`,
          ),
        ]),
    ...(spec.securityContext?.supplementalGroups ?? []).flatMap((group, i) =>
      group === spec.securityContext?.fsGroup || isOwnGroup(group, spec)
        ? []
        : [refusedValue(`${at}.supplementalGroups[${i}]`, 'set runAsGroup: on Fargate a program has one group')],
    ),
  ];
}

/** Whether a group adds nothing: each program is in it anyway, or is root's. */
const isOwnGroup = (group: number, spec: PodSpec): boolean =>
  [...(spec.initContainers ?? []), ...spec.containers].every((container) => {
    const { runAsUser, runAsGroup } = identityOf(container, spec);
    return runAsUser === 0 || runAsGroup === group;
  });

/**
 * Warnings about volumes that the user of a container may not read or write on Fargate: folders that are root's, and files of a group,
 * where the user of an image is in no group but its own.
 *
 * @param path the path of the Pod's spec
 */
export function groupWarnings(path: string, spec: PodSpec): readonly string[] {
  const { containers, initContainers = [] } = spec;
  const group = filesGroupOf(spec);
  return Object.entries({ initContainers, containers }).flatMap(([list, members]) =>
    members.flatMap((container, i) => {
      const at = `${path}.${list}[${i}].volumeMounts`;
      const outsider = outsiderOf(container, spec);
      if (outsider !== null)
        return [
          `${at}: a volume on Fargate belongs to root; user ${outsider} may write to it if the Pod has an fsGroup, or the image has the folder, owned by that user, as a VOLUME`,
        ];
      const [volume] = privateVolumesOf(container, spec);
      return group === null || volume === undefined || identityOf(container, spec).runAsUser !== undefined
        ? []
        : [
            `${at}: on Fargate the user of the image reads files of volume ${JSON.stringify(volume.name)} only if it is root, or in group ${group}: set runAsUser`,
          ];
    }),
  );
}
