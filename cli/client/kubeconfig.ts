import { readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { Failure } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';
import { type SignedFor, signedForOf } from './exec-user.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';

/** Which server to talk to, and as which user. */
export type Target = {
  /** Without a trailing slash. */
  readonly server: string;
  /** The context's namespace. */
  readonly namespace: string;
  readonly token: string | null;
  /** What tokens are signed for; omitted: the server wants none, or the one above. */
  readonly signed?: SignedFor;
  /** The file that names the server. */
  readonly file: string;
};

/** Written by `muster local` in the folder where it was started. */
const OWN_FILE = join('.muster', 'kubeconfig');

const Named = z.object({ name: z.string() });
const Cluster = z.object({
  server: z.string(),
  'certificate-authority': z.string().optional(),
  'certificate-authority-data': z.string().optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': z.string().optional(),
});
const User = z.record(z.string(), z.unknown());
const Config = z.object({
  'current-context': z.string().nullish(),
  clusters: z.array(Named.extend({ cluster: Cluster })).nullish(),
  users: z.array(Named.extend({ user: User.nullish() })).nullish(),
  contexts: z
    .array(
      Named.extend({
        context: z.object({ cluster: z.string(), user: z.string().optional(), namespace: z.string().optional() }),
      }),
    )
    .nullish(),
});
type Config = z.output<typeof Config>;

/** A server, and a note printed before the first request; null for the server that the user expects. */
export type FoundTarget = { readonly target: Target; readonly note: string | null };

/**
 * Finds the server: the file given, else the files in KUBECONFIG (the first that sets a value wins, as in kubectl) if they
 * may point at Muster, else `.muster/kubeconfig` here or in a parent folder. Never reads the user's `~/.kube/config`. Skips
 * real clusters, whose files name certificates or sign-in programs: a user with such a KUBECONFIG exported all day means
 * the Muster of the folder.
 *
 * @throws Failure when there is none, or when it needs something that this version does not support
 */
export function findTarget(asked: string | null, shell: Pick<Shell, 'cwd' | 'env'>): FoundTarget {
  const { cwd } = shell;
  if (asked !== null)
    return { target: targetOf([{ file: asked, config: need(resolve(cwd, asked), asked) }]), note: null };
  const { named, sources } = exported(shell);
  const { own, strangers } = ownSource(cwd);
  if (sources.length > 0) {
    const told = tryTarget(() => targetOf(sources));
    if (told.target !== null) return { target: told.target, note: overrules(told.target, own) };
    if (own === null) throw told.failure;
  }
  if (own !== null) {
    const notes = [...strangers, ...(own.file === OWN_FILE ? [] : [`Using ${own.file}`])];
    return { target: targetOf([own]), note: notes.length === 0 ? null : notes.join('\n') };
  }
  const missing = named.length === 0 ? '' : `, nor what KUBECONFIG names (${named.join(', ')})`;
  throw new Failure(
    `error: no server found: there is no ${OWN_FILE} here or in a parent folder${missing}\n` +
      strangers.map((line) => `${line}\n`).join('') +
      'Start one with `muster local`, or name one with --kubeconfig FILE.',
  );
}

function exported({ cwd, env }: Pick<Shell, 'cwd' | 'env'>): {
  readonly named: readonly string[];
  readonly sources: readonly Source[];
} {
  const named = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const sources = named.flatMap((file) => {
    const config = read(resolve(cwd, file), file);
    return config === null ? [] : [{ file, config }];
  });
  return { named, sources };
}

/** The nearest one. Skips a file that another user owns, who would receive our Jobs, with a line about it. */
function ownSource(cwd: string): { readonly own: Source | null; readonly strangers: readonly string[] } {
  const strangers: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, OWN_FILE);
    const file = relative(cwd, path);
    const owner = ownerOf(path);
    if (owner !== null && owner !== process.getuid?.())
      strangers.push(`Not using ${file}: it belongs to another user (uid ${owner})`);
    else {
      const config = read(path, file);
      if (config !== null) return { own: { file, config }, strangers };
    }
    if (dirname(folder) === folder) return { own: null, strangers };
  }
}

/** null: there is no such file, or this user may not even see it. */
function ownerOf(path: string): number | null {
  try {
    return statSync(path).uid;
  } catch {
    return null;
  }
}

function tryTarget(
  find: () => Target,
): { readonly target: Target } | { readonly target: null; readonly failure: Failure } {
  try {
    return { target: find() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { target: null, failure: error };
  }
}

/** Printed when KUBECONFIG and the folder name different servers. */
function overrules(target: Target, own: Source | null): string | null {
  if (own === null) return null;
  const here = tryTarget(() => targetOf([own])).target;
  if (here === null || here.server === target.server) return null;
  return `Using ${target.server}, which KUBECONFIG names (${target.file}), not ${here.server} (${own.file})`;
}

function need(path: string, file: string): Config {
  const config = read(path, file);
  if (config === null) throw new Failure(`error: there is no kubeconfig ${file}`);
  return config;
}

/** null if the file does not exist. */
function read(path: string, file: string): Config | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw new Failure(`error: kubeconfig ${file} cannot be read: ${messageOf(error)}`);
  }
  const parsed = Config.safeParse(tryParse(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Failure(`error: ${file} is not a kubeconfig: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

function tryParse(text: string, file: string): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    const [line] = messageOf(error).split('\n');
    throw new Failure(`error: ${file} is not a kubeconfig: ${line}`);
  }
}

type Source = { readonly file: string; readonly config: Config };

function targetOf(sources: readonly Source[]): Target {
  const files = sources.map(({ file }) => file).join(', ');
  const wrong = (what: string): Failure => new Failure(`error: kubeconfig ${files} ${what}`);
  const current = sources
    .map(({ config }) => config['current-context'])
    .find((name) => name !== null && name !== undefined && name !== '');
  if (current === undefined || current === null) throw wrong('has no current-context');
  const context = first(sources, ({ contexts }) => contexts, current);
  if (context === null) throw wrong(`has no context ${JSON.stringify(current)}`);
  const cluster = first(sources, ({ clusters }) => clusters, context.value.context.cluster);
  if (cluster === null) throw wrong(`has no cluster ${JSON.stringify(context.value.context.cluster)}`);
  const user = first(sources, ({ users }) => users, context.value.context.user ?? '');
  const { file } = cluster;
  return {
    server: withoutCredentials(serverOf(cluster.value.cluster, file)), // a user has the same token
    namespace: context.value.context.namespace ?? 'default',
    ...signInOf(user?.value.user ?? {}, file),
    file,
  };
}

function first<T extends { readonly name: string }>(
  sources: readonly Source[],
  entries: (config: Config) => readonly T[] | null | undefined,
  name: string,
): { readonly value: T; readonly file: string } | null {
  for (const { file, config } of sources) {
    const value = entries(config)?.find((each) => each.name === name);
    if (value !== undefined) return { value, file };
  }
  return null;
}

export const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
/** This version cannot reach a cluster that needs one of these fields. */
const TLS_FIELDS = [
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'proxy-url',
] as const;

function serverOf(cluster: z.output<typeof Cluster>, file: string): string {
  const url = URL.canParse(cluster.server) ? new URL(cluster.server) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Failure(
      `error: kubeconfig ${file} names the server ${JSON.stringify(cluster.server)}, which is not an http(s) address`,
    );
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
    throw new Failure(`error: ${cluster.server} (${file}): plain http is allowed only on this machine`);
  const unknown = TLS_FIELDS.find((field) => cluster[field] !== undefined && cluster[field] !== false);
  if (unknown !== undefined)
    throw new Failure(notOurs(cluster.server, file, `its cluster has ${JSON.stringify(unknown)}`));
  return cluster.server.replace(/\/+$/, '');
}

/** `muster kubeconfig` puts a token there, too, for kubectl. */
const withoutCredentials = (server: string): string => server.replace(/^(http:\/\/)muster:[^@/]*@/, '$1');

/** Ways to sign in that would otherwise be ignored silently. */
function signInOf(user: z.output<typeof User>, file: string): Pick<Target, 'token' | 'signed'> {
  const { token, exec, ...rest } = user;
  const signed = exec === undefined ? null : signedForOf(exec);
  const others = signed === null ? { ...rest, exec: exec ?? null } : rest;
  const [unknown] = Object.entries(others).flatMap(([field, value]) => (value === null || value === '' ? [] : [field]));
  if (unknown !== undefined) throw new Failure(notOurs('the server', file, `its user has ${JSON.stringify(unknown)}`));
  return {
    token: typeof token === 'string' && token !== '' ? token : null,
    ...(signed === null ? {} : { signed }),
  };
}

const notOurs = (server: string, file: string, why: string): string =>
  `error: ${server} (${file}) does not look like a Muster server: ${why}, which muster does not use`;
