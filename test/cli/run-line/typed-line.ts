import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { runCommandLine } from '../../../cli/program/program.ts';
import { expandVariables } from '../../../shared/domain/base/variable-expansion.ts';
import { parseInlineItems } from '../../../shared/schema/items/inline-items.ts';
import { aShell } from '../a-shell.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

const Metadata = z.object({ annotations: z.record(z.string(), z.string()).default({}) });
const Job = z.object({
  metadata: Metadata,
  spec: z.looseObject({
    completions: z.number(),
    template: z.object({
      spec: z.looseObject({
        containers: z.tuple([
          z.looseObject({
            command: z.array(z.string()).optional(),
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
          }),
        ]),
      }),
    }),
  }),
});
export type TypedJob = z.infer<typeof Job>;

/** A folder with files, in which lines are typed. */
export function aFolder(files: Files) {
  const dir = mkdtempSync(join(tmpdir(), 'muster-line-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dir, name), content);
  /** Has a real shell take the line apart, and runs it without a server. `line` begins after `muster`. */
  const type = async (line: string, stdin = '') => {
    const typed = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { cwd: dir, encoding: 'utf8' });
    if (typed.status !== 0) throw new Error(typed.stderr);
    const shell = aShell({ cwd: dir, stdin });
    const code = await runCommandLine(typed.stdout.split('\0').slice(0, -1), shell.shell);
    return { code, out: shell.out(), err: shell.err() };
  };
  return {
    type,
    /** The Job that a line makes, and what it says about it. */
    job: async (line: string, stdin = ''): Promise<{ readonly job: TypedJob; readonly err: string }> => {
      const { code, out, err } = await type(line.replace(/ -- /, ' --dry-run=client -o json -- '), stdin);
      if (code !== 0) throw new Error(err);
      return { job: Job.parse(JSON.parse(out)), err };
    },
  };
}

/** The lines of an inline list. */
export const itemsOf = ({ metadata }: TypedJob): readonly string[] =>
  (metadata.annotations['muster.run/items'] ?? '').split('\n').slice(0, -1);

/** The command of each index with its references replaced, as a task gets it, words joined with blanks. */
export function commandsOf({ metadata, spec }: TypedJob): readonly string[] {
  const text = metadata.annotations['muster.run/items'];
  const parsed = text === undefined ? null : parseInlineItems(text);
  if (parsed?.kind === 'bad') throw new Error(JSON.stringify(parsed.faults));
  const list = parsed?.list ?? { columns: [], rows: [] };
  const [{ command = [], env }] = spec.template.spec.containers;
  return Array.from({ length: spec.completions }, (_, index) => {
    const variables = new Map([
      ...env.map(
        ({ name, value }) => [name, (value ?? `${index}`).replace('$(MUSTER_NUMBER)', `${index + 1}`)] as const,
      ),
      ...list.columns.map((column, i) => [column, list.rows[index]?.[i] ?? ''] as const),
      ['JOB_COMPLETION_INDEX', `${index}`],
    ]);
    return command.map((word) => expandVariables(word, variables)).join(' ');
  });
}
