import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommandLine } from '../../../cli/program/program.ts';
import { aShell } from '../../cli/a-shell.ts';
import type { ALocalRuntime } from '../a-local-runtime.ts';
import { JOBS, eventually, indexed, linesOf, shellJob } from '../kube-calls.ts';

const SCREEN = { columns: 120, rows: 24 };
const firstScreen = (text: string): string => text.split('\n').slice(0, SCREEN.rows).join('\n');

const NOT_FOUND = [{ name: 'main', image: 'busybox', command: ['no-such-python', 'a.py'] }];
const TRACEBACK = `printf 'Traceback (most recent call last):\\n  File "a.py", line 3, in <module>\\nKeyError: 7\\n' >&2; exit 1`;
const LATE = 'echo loading; echo begun >> "$MUSTER_WORKSPACE/late"; exec sleep 1000';

/** Jobs that fail in three ways: no such program, a traceback, a deadline that is set once both indexes run. */
export const FAILING = {
  missing: shellJob('missing', '', { ...indexed(3, 3), backoffLimit: 0 }, { containers: NOT_FOUND }),
  trace: shellJob('trace', TRACEBACK, { ...indexed(3, 3), backoffLimit: 0 }),
  late: shellJob('late', LATE, indexed(2, 2)),
} as const;

/** What a user does on a runtime of this process, and sees on the first screen. */
export function aUserOf(local: ALocalRuntime) {
  const shell = (line: readonly string[]) => {
    const hand = aShell({ cwd: local.root });
    return { hand, over: runCommandLine(['--kubeconfig', join(local.dataDir, 'kubeconfig'), ...line], hand.shell) };
  };
  const muster = async (line: string): Promise<{ code: number; screen: string; err: string }> => {
    const { hand, over } = shell(line.split(' '));
    const code = await over;
    return { code, screen: firstScreen(hand.out()), err: hand.err() };
  };
  /** `muster run --wait`, which goes on. */
  const start = (name: string, manifest: object) => {
    const file = join(local.root, `${name}.json`);
    writeFileSync(file, JSON.stringify(manifest));
    return shell(['run', '-f', file, '--wait']);
  };
  const late = async (): Promise<void> => {
    const begun = () => linesOf(local.workspaceDir, 'late');
    await eventually(
      () => (begun().length === 2 ? true : null),
      () => begun().join(),
    );
    const answer = await fetch(`${local.runtime.url}${JOBS}/late`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { activeDeadlineSeconds: 1 } }),
    });
    expect(answer.status).toBe(200);
  };
  /** Runs a Job to its end; returns what `muster run --wait` shows then. */
  const fail = async (name: keyof typeof FAILING): Promise<string> => {
    const { hand, over } = start(name, FAILING[name]);
    if (name === 'late') await late();
    expect(await over).toBe(1);
    return firstScreen(hand.out());
  };
  return { muster, start, fail };
}
