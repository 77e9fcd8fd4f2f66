import { startLocalRuntime } from '../../local/runtime.ts';

// The embedded runtime as a program, for tests that kill it: node --import tsx runtime-process.ts DATA WORKSPACE
// It ends by SIGTERM, by Ctrl-C, and when whoever started it is gone: then its standard input ends.

const [dataDir = '', workspaceDir = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const stopSignal = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  process.stdin.on('end', () => resolve()).resume();
});
const runtime = await startLocalRuntime({ port: null, dataDir, workspaceDir, driver: 'process', say });
if (runtime.kind === 'refused') {
  say(runtime.reason);
  process.exit(1);
}
await stopSignal;
await runtime.stop();
process.exit(0);
