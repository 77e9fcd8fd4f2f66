import * as z from 'zod';
import { type KubeClient, readAs } from '../../../../cli/client/kube-client.ts';
import type { CreatedJob, Replacing } from '../../../../cli/create/create-job.ts';
import { ApiFailure, Failure } from '../../../../cli/shell/failure.ts';
import { explainUnknownFields } from '../../../../cli/shell/field-hints.ts';
import type { Manifest } from '../../../../cli/shell/manifest-file.ts';
import { workListPath } from './work-list-path.ts';

const Named = z.object({ metadata: z.object({ name: z.string(), uid: z.string() }) });

type CreatedList = CreatedJob & { readonly name: string };

/**
 * Creates a WorkList. If the caller wants it, first deletes an existing one of the same name: a Job keeps the items that it was
 * created with.
 *
 * @throws ApiFailure when the server refuses it; Failure that says what to do when the name is taken
 */
export async function createWorkList(
  manifest: Manifest,
  namespace: string,
  replacing: Replacing,
  client: KubeClient,
): Promise<CreatedList> {
  const path = workListPath(namespace);
  const create = async (isReplaced: boolean): Promise<CreatedList> => {
    const { object, warnings } = await client.create(path, manifest.value);
    return { object, name: readAs(Named, object, client.target).metadata.name, warnings, isReplaced };
  };
  try {
    return await create(false);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const name = error.status.details?.name;
    if (error.status.reason !== 'AlreadyExists' || name === undefined) throw explainUnknownFields(error, manifest);
    if (replacing === 'never')
      throw new Failure(
        `${error.message}\n\`muster run --replace\` deletes it first: Jobs keep the items that they have.`,
      );
    const { uid } = readAs(Named, await client.get(`${path}/${name}`), client.target).metadata;
    await client.remove(`${path}/${name}`, uid);
    return await create(true);
  }
}
