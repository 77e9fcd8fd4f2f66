import { shellJob } from '../../e2e/kube-calls.ts';

/** A Job of one Pod, as its writer leaves it; `spec` goes beside the template. */
export const job = (name: string, script = 'echo hello', spec: object = {}): object => shellJob(name, script, spec);

/** It never runs until somebody resumes it: what is shown of it stays as it is. */
export const heldJob = (name: string, spec: object = {}): object => job(name, 'echo hello', { suspend: true, ...spec });

/** The same document, read anew, with another value at `path` (dots between). */
export function withValue(document: object, path: string, value: unknown): object {
  const copy = structuredClone(document) as Record<string, unknown>;
  const keys = path.split('.');
  const last = keys.pop()!;
  let at = copy;
  for (const key of keys) at = (at[key] ??= {}) as Record<string, unknown>;
  at[last] = value;
  return copy;
}

/** Waits where `file` is not there yet: a test decides when it ends. */
export const waitingFor = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;
