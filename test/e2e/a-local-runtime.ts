import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalOptions } from '../../local/runtime.ts';
import { type EnforcedRuntime, assertAllowed, startEnforcedRuntime } from '../rights/enforced-runtime.ts';
import { type Kube, kubeAt } from './kube-calls.ts';

export type Folders = {
  /** Everything below is in it, so that a test's processes can be recognized by it. */
  readonly root: string;
  readonly dataDir: string;
  readonly workspaceDir: string;
  readonly remove: () => void;
};

/** Fresh folders of one test. */
export function someFolders(): Folders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'muster-e2e-')));
  const [dataDir, workspaceDir] = [join(root, 'data'), join(root, 'work')];
  for (const dir of [dataDir, workspaceDir]) mkdirSync(dir);
  return { root, dataDir, workspaceDir, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export type ALocalRuntime = Folders & {
  readonly runtime: EnforcedRuntime;
  readonly kube: Kube;
  /** What it has told people so far. */
  readonly said: readonly string[];
  /** Ends it and removes its folders; rejects if a function has called what the template does not allow it. */
  readonly close: () => Promise<void>;
};

/** The embedded runtime in this process, with folders of its own, and with the rights that the template gives its functions. */
export async function aLocalRuntime(options: Partial<LocalOptions> = {}): Promise<ALocalRuntime> {
  const folders = someFolders();
  const said: string[] = [];
  const runtime = await startEnforcedRuntime({
    port: null,
    dataDir: folders.dataDir,
    workspaceDir: folders.workspaceDir,
    driver: 'process',
    say: (line) => said.push(line),
    ...options,
  });
  if (runtime.kind === 'refused') throw new Error(runtime.reason);
  return {
    ...folders,
    runtime,
    kube: kubeAt(runtime.url),
    said,
    async close() {
      await runtime.stop();
      folders.remove();
      assertAllowed(runtime.asked);
    },
  };
}
