import { setTimeout as sleep } from 'node:timers/promises';
import { JobSchema } from './api-objects.ts';
import { ApiFailure } from '../shell/failure.ts';
import { type KubeClient, readAs } from './kube-client.ts';

const FIRST_LOOK_MS = 50;
const LOOKS_MS_MAX = 1_000;

/**
 * Waits until a Job is gone or its name belongs to another Job. Polls at growing intervals, at most once a second.
 *
 * @param path the Job's path
 * @param uid tells this Job from another one of the same name
 * @returns false if `signal` was aborted first
 */
export async function awaitGone(path: string, uid: string, client: KubeClient, signal: AbortSignal): Promise<boolean> {
  for (let waitMs = FIRST_LOOK_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LOOKS_MS_MAX)) {
    if (await isGone(path, uid, client)) return true;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function isGone(path: string, uid: string, client: KubeClient): Promise<boolean> {
  try {
    return readAs(JobSchema, await client.get(path), client.target).metadata.uid !== uid;
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return true;
    throw error;
  }
}
