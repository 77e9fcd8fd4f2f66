import { statSync } from 'node:fs';
import { openLmdbStore } from '../../../local/store/lmdb-store.ts';
import { T0 } from '../store-under-test.ts';

// For tests that kill it: node --import tsx take-over-process.ts PATH BYTES
// Takes a file over, and is killed as soon as the new one has so many bytes.

const [path = '', bytes = ''] = process.argv.slice(2);

function look(): void {
  const size = statSync(`${path}-draft`, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= Number(bytes)) process.kill(process.pid, 'SIGKILL');
  setImmediate(look);
}
look();
await openLmdbStore(
  path,
  () => T0,
  null,
  () => undefined,
);
process.exit(0);
