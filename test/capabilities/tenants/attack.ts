import fc from 'fast-check';
import { createObjectTemplates } from '../../../shared/capabilities/schedules/control/templates-for-objects.ts';
import { submit } from '../../../shared/control/submit/submit.ts';
import { readMessage } from '../../../shared/schema/submission/read-submission.ts';
import { type Attempt, POD, TOKEN, UID, anyAttempt, otherOf } from './any-attempt.ts';
import { ALICE, BOB, KINDS, type Tenant, type TenantWorld, aTenantWorld } from './two-tenants.ts';

/** What is sent on behalf of system:masters, as if the check had been forgotten for it. */
export type Forgets = (attempt: Attempt) => boolean;
export type Outcome = {
  /** What a tenant has seen, changed, or found out of the other; null: nothing. */
  readonly violation: string | null;
  /** How often each status was answered. */
  readonly codes: ReadonlyMap<number, number>;
};

const PER_WORLD = 100;
const CHECKED_EVERY = 25;

/** Sends many requests of two tenants, and looks after each whether one has got at anything of the other. */
export async function attack(count: number, seed: number, forgets: Forgets = () => false): Promise<Outcome> {
  const codes = new Map<number, number>();
  for (let from = 0; from < count; from += PER_WORLD) {
    const siege = await besiege(await aTenantWorld(), forgets, codes);
    const attempts = fc.sample(anyAttempt, { numRuns: PER_WORLD, seed: seed + from });
    for (const [i, attempt] of attempts.entries()) {
      const violation = await siege(attempt, (i + 1) % CHECKED_EVERY === 0);
      if (violation !== null) return { violation, codes };
    }
  }
  return { violation: null, codes };
}

type Known = {
  readonly words: ReadonlyMap<string, string>;
  readonly uids: readonly string[];
  readonly names: readonly string[];
};

async function besiege(world: TenantWorld, forgets: Forgets, codes: Map<number, number>) {
  const knownOf = new Map<Tenant, Known>();
  const before = new Map<Tenant, string>();
  const said = new Map([ALICE, BOB].map((tenant) => [tenant, new Set<string>()]));
  for (const tenant of [ALICE, BOB]) {
    knownOf.set(tenant, await knownThings(world, tenant));
    before.set(tenant, await stateOf(world, tenant));
  }
  const send = async (attempt: Attempt) => {
    const { by, method, path, headers, body } = attempt;
    const answer = await world.send(method, path, {
      as: by.user,
      groups: forgets(attempt) ? 'system:masters' : '',
      headers,
      ...(body === null ? {} : { body }),
    });
    return { code: answer.status, text: await answer.text(), headers: [...answer.headers].map(String).join('\n') };
  };
  return async (given: Attempt, isDue: boolean): Promise<string | null> => {
    const other = otherOf(given.by);
    const known = knownOf.get(other);
    if (known === undefined) throw new Error('nobody is known');
    const attempt = filledIn(given, known.words);
    const sent = world.submitted.length;
    const answer = await send(attempt);
    codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
    const told = `${attempt.by.user}: ${attempt.method} ${attempt.path} ${attempt.body ?? ''}\n→ ${answer.code} ${answer.text.slice(0, 1000)}`;
    const seen = seenIn(`${answer.text}\n${answer.headers}`, attempt, other, known, said.get(attempt.by) ?? new Set());
    if (seen !== null) return `sees ${seen} of ${other.user}: ${told}`;
    if (/reviews/.test(attempt.path) && /"allowed":true|"verbs":\["\*"\]/.test(answer.text) && !isOfOwn(attempt))
      return `gets the answer that it may: ${told}`;
    for (const text of world.submitted.slice(sent)) await workOn(text, world);
    const isRead = ['GET', 'HEAD'].includes(attempt.method);
    if (answer.code < 400 ? !isRead : isDue) {
      const state = await stateOf(world, other);
      if (answer.code < 400) before.set(attempt.by, await stateOf(world, attempt.by));
      if (state !== before.get(other)) return `changes what is of ${other.user}: ${told}`;
    }
    const isStill = isRead || answer.code >= 400 || attempt.path.includes('dryRun=All');
    const missing = isStill ? twinOf(given, other) : null;
    if (missing === null) return null;
    const twin = await send(filledIn(missing, MISSING));
    const [one, two] = [answer, twin].map(({ code, text }) => `${code} ${plain(text)}`);
    return one === two
      ? null
      : `finds out what exists: ${told}\nwhere nothing is → ${twin.code} ${twin.text.slice(0, 1000)}`;
  };
}

/** As the function `submit` does. */
async function workOn(text: string, { deps }: TenantWorld): Promise<void> {
  const read = readMessage(text, 'message');
  if (read.kind === 'submission') await submit(read.submission, {}, deps);
  if (read.kind !== 'objects') return;
  for (const object of read.objects)
    for (const each of await createObjectTemplates(deps.objects).submissionsFor(object)) await submit(each, {}, deps);
}

/** A rules review is about everything that the caller may do, wherever. */
const isOfOwn = ({ body, by }: Attempt): boolean => body?.includes(by.namespace) === true;

/** `said`: what the caller has said itself so far, which it may have stored, too. */
function seenIn(text: string, { path, body }: Attempt, other: Tenant, known: Known, said: Set<string>): string | null {
  if (text.includes(other.secret)) return `the secret ${other.secret}`;
  const things = [...known.uids, ...known.names];
  const words = `${tryDecode(path)} ${path} ${body ?? ''}`;
  for (const each of things) if (words.includes(each)) said.add(each);
  return things.find((each) => text.includes(each) && !said.has(each)) ?? null;
}

function tryDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const MISSING: ReadonlyMap<string, string> = new Map([
  [UID, 'ffffffff-0000-4000-8000-000000000000'],
  [POD, 'nnq-job-0-zzzzz'],
]);

/** The same request about something that does not exist; null: it names nothing of the other. */
function twinOf(attempt: Attempt, { prefix }: Tenant): Attempt | null {
  const other = (text: string): string => text.replaceAll(`${prefix}-`, 'nnq-');
  const path = other(attempt.path);
  const body = attempt.body === null ? null : other(attempt.body);
  const isSame =
    path === attempt.path &&
    body === attempt.body &&
    !`${path}${body}`.includes(POD) &&
    !`${path}${body}`.includes(UID);
  // A token is not a name.
  return isSame || path.includes('continue=') ? null : { ...attempt, path, body };
}

/** Without what differs from one request to the next. */
const plain = (text: string): string =>
  text
    .replaceAll(/nn[abq]-job-0-[a-z0-9]{5}/g, 'POD')
    .replaceAll(/nn[abq]-/g, 'NAME-')
    .replaceAll(/[0-9a-f]{8}-0000-4000-8000-000000000000/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"resourceVersion":"\d*"/g, '"resourceVersion":"V"')
    .replaceAll(/\d+/g, 'N');

function filledIn(attempt: Attempt, words: ReadonlyMap<string, string>): Attempt {
  const fill = (text: string): string => [...words].reduce((all, [word, value]) => all.replaceAll(word, value), text);
  return { ...attempt, path: fill(attempt.path), body: attempt.body === null ? null : fill(attempt.body) };
}

type Shown = { readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string } };
type List = { readonly metadata: { readonly continue?: string }; readonly items: readonly Shown[] };
const LISTED = [...KINDS, ['/api/v1', 'pods', 'pod'] as const];

async function listed(world: TenantWorld, path: string): Promise<List> {
  const answer = await world.asMaster('GET', path);
  return (await answer.json()) as List;
}

async function knownThings(world: TenantWorld, { namespace, prefix }: Tenant): Promise<Known> {
  const words = new Map<string, string>();
  const [uids, names] = [new Set<string>(), new Set<string>()];
  for (const [group, plural, suffix] of LISTED) {
    const { items } = await listed(world, `${group}/namespaces/${namespace}/${plural}`);
    for (const { metadata } of items) {
      uids.add(metadata.uid);
      names.add(metadata.name);
    }
    if (suffix === 'job')
      words.set(UID, items.find(({ metadata }) => metadata.name === `${prefix}-job`)?.metadata.uid ?? '');
    if (suffix === 'pod') words.set(POD, items[0]?.metadata.name ?? '');
    const page = await listed(world, `${group}/${plural}?limit=1`);
    words.set(TOKEN(suffix), page.metadata.continue ?? '');
  }
  return { words, uids: [...uids], names: [...names] };
}

/** Everything of a tenant, and which of its Pods somebody has deleted. */
export async function stateOf(world: TenantWorld, { namespace }: Tenant): Promise<string> {
  const all: unknown[] = [await (await world.asMaster('GET', `/api/v1/namespaces/${namespace}`)).json()];
  const jobs = new Set<string>();
  for (const [group, plural] of LISTED) {
    const { items } = await listed(world, `${group}/namespaces/${namespace}/${plural}`);
    all.push(items);
    for (const { metadata } of items) jobs.add(metadata.uid);
  }
  return JSON.stringify([all, world.podsDeletedOf.filter((uid) => jobs.has(uid)).length]);
}
