import type { PodOwner } from '../../domain/task/container-env.ts';
import type { HostFolders } from '../../domain/task/volumes/host-folders.ts';
import type { FieldError } from '../object/field-error.ts';
import { groupErrors } from './group-rules.ts';
import { mountPlaceErrors } from './mount-rules.ts';

/**
 * What a Pod that is valid otherwise cannot have on Fargate.
 *
 * @param path the path of the Pod's spec
 * @param folders null: tasks run there
 */
export const fargateErrors = (path: string, owner: PodOwner, folders: HostFolders): readonly FieldError[] =>
  folders === null ? [...mountPlaceErrors(path, owner), ...groupErrors(path, owner.spec.template.spec)] : [];
