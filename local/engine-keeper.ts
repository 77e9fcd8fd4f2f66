import { closeSync, fchmodSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataFolder, databaseOf } from './data-folder.ts';
import { type DynamoEngine, type NoEngine, startDynamoEngine } from './dynamodb/engine.ts';
import { enginesOn } from './dynamodb/engine-processes.ts';
import { endProcess } from './process-identity.ts';
import { openForAppending } from './whole-file.ts';

export type KeptEngine = { readonly kind: 'kept'; readonly endpoint: string; stop(): Promise<void> };

const RESTART_AFTER_MS = 200;

/**
 * Keeps a DynamoDB engine running on the folder's database: when its process ends, a new one starts and continues with the
 * data on disk. First ends the engine of an earlier, killed runtime, because two must not share one file.
 */
export async function keepEngine(
  { path }: Pick<DataFolder, 'path'>,
  warn: (message: string) => void,
): Promise<KeptEngine | NoEngine> {
  const dbPath = databaseOf(path);
  await Promise.all(enginesOn(dbPath).map(endProcess));
  closeToOthers(dbPath);
  const first = await startDynamoEngine({ dbPath });
  if (first.kind === 'absent') return first;
  const { endpoint } = first;
  let engine: DynamoEngine = first;
  let stopping = false;

  const keep = async (): Promise<void> => {
    while (!stopping) {
      const how = await engine.ended;
      if (stopping) return;
      warn(`the DynamoDB engine ended (${how}); starting it again`);
      await restart();
    }
  };
  const restart = async (): Promise<void> => {
    while (!stopping) {
      try {
        const next = await startDynamoEngine({ dbPath, at: endpoint });
        if (next.kind === 'absent') throw new Error(next.reason);
        engine = next;
        if (stopping) await next.stop();
        return;
      } catch (error) {
        warn(`the DynamoDB engine does not start: ${String(error)}`);
        await sleep(RESTART_AFTER_MS);
      }
    }
  };
  const keeping = keep();
  return {
    kind: 'kept',
    endpoint,
    async stop() {
      stopping = true;
      await engine.stop();
      await keeping;
    },
  };
}

/** The engine would make its file readable by all; SQLite gives the files next to it the same permissions. */
function closeToOthers(dbPath: string): void {
  const file = openForAppending(dbPath);
  fchmodSync(file, 0o600);
  closeSync(file);
}
