import type { EpochMs } from '../domain/base/time.ts';
import { DEFAULT_BINDINGS, DEFAULT_ROLES } from '../domain/rbac/default-policy.ts';
import { type Binding, type Policy, type Role, policyOf } from '../domain/rbac/policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedNotifications } from '../ports/feed-notifications.ts';
import type { ObjectStore, StoredObject } from '../ports/object-store.ts';
import type { PolicyReader } from '../ports/access/policy-reader.ts';

/** How old a policy may be that this process did not change itself. */
const POLICY_AGE_MS = 2000;
const OBJECTS_PER_READ = 200;

const KINDS = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'] as const;
type PolicyKind = (typeof KINDS)[number];

/** All objects of a kind, as they were when its feed stood at `head`, or a little later. */
type Loaded = { readonly head: number; readonly objects: readonly StoredObject[] };

type Known = { readonly policy: Policy; readonly loaded: ReadonlyMap<PolicyKind, Loaded>; readonly lookedAt: EpochMs };

/**
 * Reads roles and bindings, with those that always exist. What was read is kept. At most every 2 seconds (`ageMs`) a call looks
 * at the heads of the four feeds, and reads a kind again only if its head has moved; a change that this process has made itself
 * is seen by the next call. Calls at the same time share one look.
 *
 * A look is four reads of a row of DynamoDB, one read unit each, in a process that answers requests: 2 units a second at most,
 * however many requests there are.
 *
 * A look that fails is an error for all who wait for it: a caller that decides by it must refuse, never take an empty policy.
 */
export function createPolicyReader(
  {
    objects,
    clock,
    notifications,
  }: {
    readonly objects: Pick<ObjectStore, 'head' | 'list'>;
    readonly clock: Pick<Clock, 'now'>;
    readonly notifications?: FeedNotifications | undefined;
  },
  ageMs: number = POLICY_AGE_MS,
): PolicyReader {
  let known: Known | null = null;
  let looking: Promise<Policy> | null = null;
  let changes = 0;
  let seenChanges = 0;
  for (const kind of KINDS) notifications?.subscribe(kind, () => changes++);

  const look = async (): Promise<Policy> => {
    const [lookedAt, seen] = [clock.now(), changes];
    const loaded = await loadAll(objects, known?.loaded ?? new Map());
    const isSame = known !== null && KINDS.every((kind) => loaded.get(kind) === known?.loaded.get(kind));
    const policy = known !== null && isSame ? known.policy : policyIn(loaded);
    known = { policy, loaded, lookedAt };
    seenChanges = seen;
    return policy;
  };

  return {
    async policy() {
      const isFresh = known !== null && changes === seenChanges && clock.now() < known.lookedAt + ageMs;
      if (known !== null && isFresh) return known.policy;
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

async function loadAll(
  objects: Pick<ObjectStore, 'head' | 'list'>,
  before: ReadonlyMap<PolicyKind, Loaded>,
): Promise<ReadonlyMap<PolicyKind, Loaded>> {
  const entries = await Promise.all(
    KINDS.map(async (kind) => {
      // The head first: a later change may be among the objects already, but none is missed.
      const head = await objects.head(kind);
      const known = before.get(kind);
      return [kind, known?.head === head ? known : { head, objects: await allOf(objects, kind) }] as const;
    }),
  );
  return new Map(entries);
}

async function allOf(objects: Pick<ObjectStore, 'list'>, kind: PolicyKind): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ObjectStore['list']>> = await objects.list(kind, {
      namespace: null,
      after,
      limit: OBJECTS_PER_READ,
    });
    found.push(...page.objects);
    after = page.next;
  } while (after !== null);
  return found;
}

/** Those that always exist come last: nothing that is stored takes their place. */
function policyIn(loaded: ReadonlyMap<PolicyKind, Loaded>): Policy {
  const of = (...kinds: readonly PolicyKind[]) => kinds.flatMap((kind) => loaded.get(kind)?.objects ?? []);
  return policyOf(
    [...of('ClusterRole', 'Role').map(roleIn), ...DEFAULT_ROLES],
    [...DEFAULT_BINDINGS, ...of('ClusterRoleBinding', 'RoleBinding').map(bindingIn)],
  );
}

// What is stored as these kinds was admitted as such.
function roleIn({ key, document }: StoredObject): Role {
  const { rules = [] } = document as unknown as Partial<Pick<Role, 'rules'>>;
  return { ...key, rules };
}

function bindingIn({ key, document }: StoredObject): Binding {
  const { roleRef, subjects = [] } = document as unknown as Pick<Binding, 'roleRef'> &
    Partial<Pick<Binding, 'subjects'>>;
  return { ...key, roleRef, subjects };
}
