import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../cli/client/kube-client.ts';
import { pathOfAll } from '../../shared/domain/kinds/api-kind.ts';
import { API_KINDS } from '../../shared/domain/kinds/api-kinds.ts';
import { ApiFailure } from '../../cli/shell/failure.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';
import type { Ground } from './ground.ts';
import { NotAsked } from './not-asked.ts';
import type { Askable, Verdict } from './question.ts';

/** A question and what came of it. */
export type Row = Pick<Askable, 'name' | 'asks' | 'assumed'> & Verdict;

/** Tasks are few at once: a new account has 24 of this size. */
const AT_ONCE = 6;
const POLL_MS = 1_000;
/** A namespace is gone when its Jobs are; the rest is the sweep's, once a minute. */
const GONE_WITHIN_MS = 600_000;

export type Asked = {
  readonly rows: readonly Row[];
  /** Why something of this run may still be there; null: all of it is gone. */
  readonly left: string | null;
};

/** Makes the namespace, asks, and removes the namespace, also after a failure. Reports each row as it comes. */
export async function askAll(
  questions: readonly Askable[],
  ground: Ground,
  told: (row: Row) => void,
  say: (line: string) => void,
): Promise<Asked> {
  const { client, namespace } = ground;
  await client.create(pathOfAll(API_KINDS.Namespace), {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const rows = await askedAtOnce(questions, ground, told);
  say(`Removing namespace ${namespace}, with its Jobs and tasks.`);
  const left = await removeNamespace(client, namespace).then(() => null, messageOf);
  return { rows, left: left === null ? null : `namespace ${namespace} may still be there: ${left}` };
}

/** The rows in the questions' order. */
async function askedAtOnce(
  questions: readonly Askable[],
  ground: Ground,
  told: (row: Row) => void,
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  const waiting = [...questions];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { ask, ...question } = next;
      const row = { ...question, ...(await outcomeOf(ask, ground)) };
      rows.set(row.name, row);
      told(row);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return questions.flatMap(({ name }) => rows.get(name) ?? []);
}

async function outcomeOf(ask: Askable['ask'], ground: Ground): Promise<Verdict> {
  const { signal } = ground;
  if (signal.aborted) return INTERRUPTED;
  const interrupted = new Promise<Verdict>((resolve) => {
    signal.addEventListener('abort', () => resolve(INTERRUPTED), { once: true });
  });
  return Promise.race([ask(ground).catch((error: unknown) => faultOf(error, signal)), interrupted]);
}

const INTERRUPTED: Verdict = { as: 'not asked', seen: 'interrupted' };

function faultOf(error: unknown, signal: AbortSignal): Verdict {
  if (signal.aborted) return INTERRUPTED;
  return { as: error instanceof NotAsked ? 'not asked' : 'not assumed', seen: messageOf(error) };
}

/** Throws if it is still there after ten minutes. */
async function removeNamespace(client: KubeClient, namespace: string): Promise<void> {
  const path = `${pathOfAll(API_KINDS.Namespace)}/${namespace}`;
  const isThere = async (ask: Promise<unknown>): Promise<boolean> =>
    ask.then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiFailure && error.status.code === 404) return false;
        throw error;
      },
    );
  if (!(await isThere(client.remove(path)))) return;
  for (const overMs = performance.now() + GONE_WITHIN_MS; await isThere(client.get(path)); await sleep(POLL_MS))
    if (performance.now() > overMs) throw new Error('it is being deleted, but not gone after ten minutes');
}
