import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../../../../cli/program/program.ts';
import { aShell } from '../../../../test/cli/a-shell.ts';

/** Runs `muster simulate` in a folder with these files; JSON is YAML. */
export async function simulate(line: string, files: Readonly<Record<string, unknown>>, stdin = '') {
  const dir = mkdtempSync(join(tmpdir(), 'muster-simulate-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  const { shell, out, err } = aShell({ cwd: dir, stdin });
  const code = await runCommandLine(['simulate', ...line.split(' ')], shell);
  return { code, out: out(), err: err() };
}
