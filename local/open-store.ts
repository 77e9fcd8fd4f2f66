import type { DataFolderSize } from '../shared/ports/gathered/folder-size.ts';
import { createMemoryStore } from '../shared/runtime/memory-store.ts';
import { systemClock } from '../shared/adapters/system-clock.ts';
import type { TaskArn } from '../shared/domain/base/ids.ts';
import type { StoreOptions } from '../shared/runtime/create-runtime.ts';
import { type DataFolder, jobsFileOf } from './data-folder.ts';
import type { Closer } from './wiring/wiring.ts';

/**
 * `lmdb`: a file in the data folder; `engine`: the embedded DynamoDB engine, or memory if it is not installed;
 * `memory`: nothing survives; otherwise the address of a DynamoDB, which needs the wiring that emulates AWS.
 */
export type StoreChoice = 'lmdb' | 'engine' | 'memory' | { readonly endpoint: string };

export type ChosenStore = {
  readonly options: StoreOptions;
  /** Jobs survive until the next start. */
  readonly isKept: boolean;
  /** Removes rows that are no longer needed, if the store does not do so itself. `forget` gets the tasks that may go, too. */
  removeOld(forget: (tasks: ReadonlySet<TaskArn>) => Promise<void>): Promise<unknown>;
  /** The size of the file that holds Jobs; null: they are elsewhere. */
  readonly fileSize: () => DataFolderSize['jobs'];
};

const TABLE_NAME = 'muster';

/** Opens the chosen store, without a row that is to be discarded (its key; null: there is none). */
export async function chooseStore(
  folder: DataFolder,
  choice: StoreChoice,
  discard: string | null,
  region: string,
  say: (line: string) => void,
  closers: Closer[],
): Promise<ChosenStore> {
  const now = () => systemClock.now();
  const asGiven = (store: Omit<StoreOptions & { readonly kind: 'given' }, 'kind'>): StoreOptions => ({
    kind: 'given',
    ...store,
  });
  if (choice === 'memory') return { ...FORGOTTEN, options: asGiven(createMemoryStore({ now })) };
  if (choice === 'lmdb') {
    const { openLmdbStore } = await import('./store/lmdb-store.ts');
    const store = await openLmdbStore(jobsFileOf(folder.path), now, discard, say);
    closers.push(async () => store.close());
    return {
      options: asGiven(store),
      isKept: true,
      removeOld: async (forget) => store.removeOld(forget),
      fileSize: () => store.size(),
    };
  }
  let endpoint = typeof choice === 'object' ? choice.endpoint : null;
  if (endpoint === null) {
    const { keepEngine } = await import('./engine-keeper.ts');
    const engine = await keepEngine(folder, (message) => say(`warning: ${message}`));
    if (engine.kind === 'absent') {
      say(`warning: no DynamoDB engine (${engine.reason}): Jobs are kept in memory and are lost when Muster ends`);
      return { ...FORGOTTEN, options: asGiven(createMemoryStore({ now })) };
    }
    closers.push(() => engine.stop());
    endpoint = engine.endpoint;
  }
  const { createDynamoClient } = await import('../shared/adapters/aws/dynamodb/dynamo-client.ts');
  const { createTable } = await import('../shared/adapters/aws/dynamodb/dynamo-table.ts');
  const client = createDynamoClient({ region, endpoint });
  await createTable(client, TABLE_NAME);
  client.destroy();
  const options = { kind: 'dynamodb', tableName: TABLE_NAME, endpoint } as const;
  return { ...ELSEWHERE, options, isKept: true };
}

const ELSEWHERE = { removeOld: async () => undefined, fileSize: () => null };
const FORGOTTEN = { ...ELSEWHERE, isKept: false };
