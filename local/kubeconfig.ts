import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** Writes DIR/kubeconfig, for its owner's eyes only, and returns its path. The user's own file is never touched. */
export function writeKubeconfig(dir: string, server: string): string {
  const path = join(dir, 'kubeconfig');
  const draft = `${path}.${process.pid}`;
  writeFileSync(
    draft,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'muster-local', cluster: { server } }],
      users: [{ name: 'muster-local', user: {} }],
      contexts: [
        { name: 'muster-local', context: { cluster: 'muster-local', user: 'muster-local', namespace: 'default' } },
      ],
      'current-context': 'muster-local',
    }),
    { mode: 0o600 },
  );
  renameSync(draft, path);
  return path;
}
