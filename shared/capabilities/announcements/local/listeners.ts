import type { OpenLocalPart } from '../../../../local/local-part.ts';
import { noteAnnounced } from '../control/announce.ts';
import { commandListener } from './command-listener.ts';
import { tellListeners } from './tell-listeners.ts';
import { webhookListener } from './webhook-listener.ts';

/** Those who are to hear of changes. */
export const openListeners: OpenLocalPart = ({ listeners = {}, workspaceDir }, deps, warn) => {
  const { command, url, signingKey } = listeners;
  const all = [
    ...(command === undefined ? [] : [commandListener(command, workspaceDir)]),
    ...(url === undefined ? [] : [webhookListener(url, signingKey ?? null)]),
  ];
  if (all.length === 0) return null;
  const told = tellListeners(all, async (uid, version) => noteAnnounced(uid, version, deps()), warn);
  return { ports: { announcer: told }, settings: { announced: 'each' }, close: async (ms) => told.close(ms) };
};
