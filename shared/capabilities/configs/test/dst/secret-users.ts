import type { Deps } from '../../../../control/process/deps.ts';
import { createJob } from '../../../../control/lifecycle/job-changes.ts';
import { plusMs } from '../../../../domain/base/time.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { sealedObjects } from '../../store/sealed-objects.ts';
import type { Random } from '../../../../../test/dst/random.ts';
import { ALL } from '../../../../../test/dst/story.ts';
import type { Arrangement } from '../../../../../test/dst/world/scenario-events.ts';
import { START, type World } from '../../../../../test/dst/world/world.ts';
import { MARK, type SecretWatch } from './secret-watch.ts';

export const SECRET_STORM_MS = 20 * 60_000;

const KINDS = ['ConfigMap', 'Secret', 'Secret'] as const;
const NAMES = ['a', 'b'] as const;
const AGAIN_MS = 20_000;

type Wish = {
  readonly random: Random;
  readonly world: World;
  readonly watch: SecretWatch;
  readonly sealer: Sealer;
};

/** People create, change, read, watch, and delete a few ConfigMaps and Secrets, several at the same moment, beside a Job or two. */
export function arrangeSecrets(jobs: readonly StoredSpec[], { random, world, watch, sealer }: Wish): Arrangement {
  let turn = 0;
  const ask = (what: string, work: (objects: ObjectStore) => Promise<unknown>): void =>
    world.handlers.user(what, ALL, async ({ objects }) => work(sealedObjects(objects, { sealer })));
  const write = (kind: (typeof KINDS)[number], name: string): void => {
    const key = { namespace: 'default', name };
    const value = Buffer.from(`${MARK} ${++turn}`).toString('base64');
    const label = String(turn % 3);
    ask(`writes the ${kind} ${name}`, async (objects) => {
      const was = (await objects.read(kind, key))?.version ?? 0;
      const metadata = { ...key, uid: `uid-of-${kind}-${name}`, labels: { turn: label } };
      watch.wants(kind, key, value, was);
      const committed = await objects.commit(kind, { key, was, document: { metadata, data: { value } } });
      if (committed.kind === 'committed') watch.acknowledged(kind, key, committed.version, value);
    });
  };
  const remove = (kind: (typeof KINDS)[number], name: string): void => {
    const key = { namespace: 'default', name };
    ask(`deletes the ${kind} ${name}`, async (objects) => {
      const found = await objects.read(kind, key);
      if (found === null) return;
      watch.wants(kind, key, null, found.version);
      const committed = await objects.commit(kind, { key, was: found.version, document: null });
      if (committed.kind !== 'committed') return;
      watch.acknowledged(kind, key, committed.version, null);
      world.sights.see('a Secret deleted');
    });
  };
  const read = (kind: (typeof KINDS)[number], name: string): void => {
    const key = { namespace: 'default', name };
    ask(`reads the ${kind} ${name}`, async (objects) => {
      const check = watch.before(kind, key);
      check(await objects.read(kind, key));
    });
  };
  const follow = (kind: (typeof KINDS)[number]): void =>
    ask(`follows ${kind}s`, async (objects) => {
      const found = await objects.changes(kind, 0, 500);
      if (found.kind === 'expired') return;
      watch.again();
      watch.seen(kind, found.rows);
    });

  for (const spec of jobs) create(spec, world);
  let over = START + SECRET_STORM_MS;
  for (let n = random.between(60, 120); n > 0; n--) {
    const at = plusMs(START, random.between(0, SECRET_STORM_MS));
    const [kind, name] = [random.pick(KINDS), random.pick(NAMES)];
    const what = random.pick(['write', 'write', 'read', 'read', 'remove', 'follow'] as const);
    world.schedule(at, () => {
      if (what === 'write') write(kind, name);
      else if (what === 'read') read(kind, name);
      else if (what === 'remove') remove(kind, name);
      else follow(kind);
    });
    over = Math.max(over, at);
  }
  return { over: over + 1, count: 0 };
}

/** Until it is there. */
function create(spec: StoredSpec, world: World): void {
  const { uid } = spec.identity;
  if (world.watchdog.jobs.has(uid)) return;
  world.handlers.user('creates the Job', { uids: [uid], indexes: null }, async (deps: Deps) => createJob(spec, deps));
  world.schedule(plusMs(world.time, AGAIN_MS), () => create(spec, world));
}
