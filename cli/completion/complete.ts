import type { Command } from 'commander';
import { API_KINDS } from '../../shared/domain/kinds/api-kinds.ts';
import { ListSchema, NamedSchema } from '../client/api-objects.ts';
import { type Candidate, type Completion, completionOf, kindBefore } from './completion.ts';
import { connect, pathsOf, readAs } from '../client/kube-client.ts';
import { findTarget } from '../client/kubeconfig.ts';
import type { Shell } from '../shell/shell.ts';

/**
 * The user waits at the Tab key. Each of the two requests may take this long, unless `MUSTER_COMPLETE_TIMEOUT_MS` says
 * otherwise.
 */
const ANSWER_MS = 500;
/** One page. */
const NAMES_MAX = 500;

/**
 * Prints completions for a partly typed command line, for the scripts of `muster completion`: a first line `words`,
 * `files`, or `folders`, then the words, each followed by a tab and a description. If there is no server, or a slow one,
 * there are no names of objects.
 */
export async function complete(program: Command, words: readonly string[], shell: Shell): Promise<void> {
  const completion = completionOf(program, words);
  const all = [...completion.words, ...(await objectNames(completion, shell))];
  shell.out.write([completion.kind, ...all.map(({ text, about }) => `${text}\t${about}`)].join('\n') + '\n');
}

/** A value that makes no sense is the default: an error message would land in the line that the user is typing. */
function answerMsOf({ env }: Shell): number {
  const said = Number(env['MUSTER_COMPLETE_TIMEOUT_MS']);
  return Number.isInteger(said) && said > 0 ? said : ANSWER_MS;
}

async function objectNames({ named, namespace, kubeconfig }: Completion, shell: Shell): Promise<readonly Candidate[]> {
  if (named === null) return [];
  const kind = kindBefore(named.kind, named.prefix);
  try {
    const client = await connect(findTarget(kubeconfig, shell).target, answerMsOf(shell));
    const path = pathsOf(API_KINDS[named.kind]);
    const query = { limit: NAMES_MAX };
    const answer = await client.get(path(namespace ?? client.target.namespace), query);
    const { items } = readAs(ListSchema, answer, client.target);
    return items
      .map((item) => kind + readAs(NamedSchema, item, client.target).metadata.name)
      .filter((name) => name.startsWith(named.prefix) && !named.except.includes(name))
      .map((text) => ({ text, about: '' }));
  } catch {
    return []; // an error message would land in the user's line, too
  }
}
