import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFront } from '../../local/front/api-front.ts';
import type { LocalRuntime } from '../../local/runtime.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import { type RuntimeOptions, createRuntime } from '../../shared/runtime/create-runtime.ts';
import { environmentOf } from '../support/test-wiring.ts';

/** The API of a runtime that emulates AWS once more, in a process that does nothing else, as on Lambda. */
export type AnApiProcess = {
  readonly url: string;
  /** The most that it has had in memory so far; null: only Linux tells. */
  readonly peakMemoryMb: () => number | null;
  readonly close: () => Promise<void>;
};

const ROOT = join(import.meta.dirname, '../..');
/** V8 takes what it is given before it tidies up, and Lambda gives it less than a machine does. Who needs more dies. */
const THRIFT = ['--max-old-space-size=160', '--max-semi-space-size=8'];

export async function anApiProcess(local: LocalRuntime): Promise<AnApiProcess> {
  const { telemetry: _ofTheOther, ...plain } = environmentOf(local);
  const args = [...THRIFT, '--import', 'tsx', fileURLToPath(import.meta.url), JSON.stringify(plain)];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    peakMemoryMb: () => peakMemoryMb(child),
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function peakMemoryMb({ pid }: ChildProcess): number | null {
  const file = `/proc/${pid}/status`;
  const kb = existsSync(file) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return kb === undefined ? null : Number(kb) / 1024;
}

/** The process itself. */
async function serve(plain: string): Promise<void> {
  const silent = { count() {}, record() {}, info() {}, warn() {}, begin() {}, flush() {} };
  const options = JSON.parse(plain) as Omit<RuntimeOptions, 'telemetry'>;
  const front = await startFront(kubeApiOf(createRuntime({ ...options, telemetry: silent }), { embedded: true }), null);
  process.send?.(front.url);
}

const [, script, given] = process.argv;
if (script === fileURLToPath(import.meta.url) && given !== undefined) await serve(given);
