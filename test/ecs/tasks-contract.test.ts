import { afterEach } from 'vitest';
import { describeTasks } from './describe-tasks.ts';
import { SIMULATED, makeFolders, startServer } from './task-server.ts';

const folders: ReturnType<typeof makeFolders>[] = [];
afterEach(() => {
  for (const made of folders.splice(0)) made.remove();
});

describeTasks('simulated', async (options) => startServer(SIMULATED, options));

describeTasks('processes', async (options) => {
  const made = makeFolders();
  folders.push(made);
  return startServer({ kind: 'process', ...made }, options);
});
