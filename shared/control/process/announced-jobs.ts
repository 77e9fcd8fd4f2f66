import { withStateChange } from '../../domain/scoreboard/state-changes.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { isOwn } from '../../domain/manifests/job.ts';
import type { JobManifest } from '../../domain/manifests/manifest.ts';
import type { Deps } from './deps.ts';

/** Whether others hear of this Job. What another controller does with its Jobs is not ours to tell. */
export function isAnnounced(manifest: JobManifest, { settings }: Pick<Deps, 'settings'>): boolean {
  if (settings.announced === null || !isOwn(manifest)) return false;
  return settings.announced === 'each' || manifest.metadata.annotations?.[ANNOTATIONS.taskToken] !== undefined;
}

/** The status that a user's command commits, with the change of state that it makes: the next pass announces it. */
export const noted = (manifest: JobManifest, before: Status | null, after: Status, deps: Pick<Deps, 'settings'>) =>
  isAnnounced(manifest, deps) ? withStateChange(before, after) : after;
