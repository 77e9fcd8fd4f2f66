import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { EngineProcess } from './engine-process.ts';
import { type EngineName, START, installed } from './installed.ts';
import { operationsOf, tableOf } from './table.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Addresses; null: not installed. */
    readonly engines: Readonly<Record<EngineName, string | null>>;
    /** The file that each case adds its outcome to. */
    readonly records: string;
  }
}

/** Starts every engine before the first test, and after the last ends them and prints what each has passed. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-engines-'));
  const records = join(folder, 'records.jsonl');
  const seen = join(folder, 'seen.jsonl');
  for (const file of [records, seen]) writeFileSync(file, '');
  process.env['MUSTER_SEEN_OPERATIONS'] = seen; // processes of tests inherit it
  const running: EngineProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map(async (engine) => engine.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (name: EngineName): Promise<string | null> => {
    if (!installed(name)) return null;
    const engine = await START[name]();
    running.push(engine);
    return engine.url;
  };
  const names = ['embedded', 'moto', 'ministack', 'elasticmq'] as const;
  const started = await Promise.allSettled(names.map(start));
  const fault = started.find((each) => each.status === 'rejected');
  if (fault !== undefined) {
    await stop();
    throw fault.reason;
  }
  const [embedded = null, moto = null, ministack = null, elasticmq = null] = started.map((each) =>
    each.status === 'fulfilled' ? each.value : null,
  );
  provide('engines', { embedded, moto, ministack, elasticmq });
  provide('records', records);
  return async () => {
    console.log(tableOf(readFileSync(records, 'utf8')));
    console.log(operationsOf(readFileSync(seen, 'utf8')));
    await stop();
  };
}
