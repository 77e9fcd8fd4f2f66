import type { KubeClient } from '../client/kube-client.ts';
import type { Manifest } from '../shell/manifest-file.ts';
import type { CreatedJob, Replacing } from './create-job.ts';

/**
 * Creates an object of a file. If the caller wants it, first deletes an existing one of the same name.
 *
 * @throws ApiFailure when the server refuses it; Failure that says what to do when the name is taken
 */
export type CreateObject = (
  manifest: Manifest,
  namespace: string,
  replacing: Replacing,
  client: KubeClient,
) => Promise<CreatedJob & { readonly name: string }>;
