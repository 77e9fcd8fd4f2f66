import { shortItem } from '../../shared/domain/base/shown-index.ts';
import type { IndexAction } from '../../shared/domain/scoreboard/index-changes.ts';
import { type IndexEffects, type Job, IndexChangeSchema, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, indexesPath, jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT } from '../shell/failure.ts';
import { indexesOfItems } from '../logs/indexes-of-items.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import type { Shell } from '../shell/shell.ts';

export type ChosenIndexes =
  | { readonly kind: 'indexes'; readonly text: string }
  | { readonly kind: 'items'; readonly items: readonly string[] }
  | { readonly kind: 'all' };

export type IndexWish = {
  readonly action: IndexAction;
  readonly chosen: ChosenIndexes;
  /** Change nothing. */
  readonly isDry: boolean;
  /** null: in words */
  readonly output: ObjectForm | null;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** `muster hold`, `release`, `cancel`, and `requeue`: for some indexes of a Job. */
export async function changeIndexes(name: string, wish: IndexWish, shell: Shell): Promise<number> {
  const { action, chosen, isDry, output } = wish;
  const client = await reach(wish.kubeconfig, shell);
  const namespace = wish.namespace ?? client.target.namespace;
  const indexes = await textOf(chosen, namespace, name, client);
  const path = `${indexesPath(namespace, name)}${isDry ? '?dryRun=All' : ''}`;
  const { object } = await client.create(path, { action, indexes });
  const { effects } = readAs(IndexChangeSchema, object, client.target);
  if (output !== null) shell.out.write(objectText(object, output));
  else shell.out.write(`${sentences(name, action, effects, isDry).join('\n')}\n`);
  return EXIT.ok;
}

async function textOf(chosen: ChosenIndexes, namespace: string, name: string, client: KubeClient): Promise<string> {
  if (chosen.kind === 'indexes') return chosen.text;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
  if (chosen.kind === 'items') return (await indexesOfItems(job, chosen.items, client)).join(',');
  return allOf(job);
}

/** A Job that has no index gets an answer from the server, with the reason. */
function allOf({ spec: { completions = 0 } }: Job): string {
  return completions <= 1 ? '0' : `0-${completions - 1}`;
}

const DONE: Readonly<Record<IndexAction, string>> = {
  hold: 'held',
  release: 'released',
  cancel: 'cancelled',
  requeue: 'back in line',
};
const LATER: Readonly<Record<IndexAction, string>> = {
  hold: 'running, held when back',
  release: 'released',
  cancel: 'being stopped, then cancelled',
  requeue: 'being stopped, then back in line',
};
const ALREADY: Readonly<Record<IndexAction, string>> = {
  hold: 'held already',
  release: 'not held',
  cancel: 'cancelled already',
  requeue: 'without a running attempt',
};

/** ` (31 … 40)`: what the first and the last index work on; empty without a list. */
function itemsOf({ count, items }: IndexEffects['done']): string {
  const shown = items.map((item) => shortItem(item));
  return shown.length === 0 ? '' : ` (${shown.join(count > 2 ? ' … ' : ', ')})`;
}

/** What became of the indexes, a line for each that there are any of. */
function sentences(name: string, action: IndexAction, effects: IndexEffects, isDry: boolean): readonly string[] {
  const { done, later, already, settled } = effects;
  const lines = [
    [done, DONE[action]],
    [later, LATER[action]],
    [already, ALREADY[action]],
    [settled, action === 'requeue' ? 'over: succeeded, or cancelled' : 'over: succeeded, failed, or cancelled'],
  ] as const;
  const dry = isDry ? ' (dry run)' : '';
  return lines
    .filter(([{ count }]) => count > 0)
    .map(([effect, words]) => `job.batch/${name}: ${effect.count} ${words}: ${effect.indexes}${itemsOf(effect)}${dry}`);
}
