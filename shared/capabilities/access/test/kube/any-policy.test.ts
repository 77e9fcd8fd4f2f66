import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes, ResourceAttributes } from '../../../../domain/callers/attributes.ts';
import { type PolicyRule, policyOf } from '../../domain/policy.ts';
import { ruleAllows } from '../../domain/rule-allows.ts';
import { SERVED } from '../../../../kube/discovery/served-resources.ts';
import { aGuardedWorld, grants } from './a-guarded-world.ts';
import { ASKING, ask, may } from './asking.ts';

const NAMESPACES = ['', 'team-a', 'team-b'];
const NAMES = ['', 'x', 'y'];

type Case = { readonly wanted: ResourceAttributes; readonly method: string; readonly path: string };
const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const OF_COLLECTIONS: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

/** Every served verb, on every resource, in some namespaces, with some names. */
const CASES: readonly Case[] = SERVED.flatMap(({ name: group, version, resources }) =>
  resources.flatMap(({ plural, namespaced, verbs, subresources }) =>
    [{ name: '', verbs }, ...subresources].flatMap(({ name: subresource, verbs: served }) =>
      served.flatMap((verb) => {
        const isWhole = subresource === '' && OF_COLLECTIONS.includes(verb);
        return NAMESPACES.flatMap((namespace) =>
          NAMES.flatMap((name): readonly Case[] => {
            if ((name === '') !== isWhole) return [];
            const isAll = namespaced && namespace === '';
            if (isAll && !['list', 'watch'].includes(verb)) return [];
            if (!namespaced && namespace !== '') return [];
            const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
            const at = namespaced && !isAll ? `/namespaces/${namespace}` : '';
            const tail = [name, subresource].filter((part) => part !== '').map((part) => `/${part}`);
            const path = `${root}${at}/${plural}${tail.join('')}${verb === 'watch' ? '?watch=true' : ''}`;
            const place = plural === 'namespaces' ? name : namespace;
            const wanted = {
              kind: 'resource',
              verb,
              group,
              resource: plural,
              subresource,
              namespace: place,
              name,
            } as const;
            return [{ wanted, method: METHODS[verb] ?? '', path }];
          }),
        );
      }),
    ),
  ),
);

const some = <T>(...from: readonly T[]) => fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });
const RESOURCES = [
  ...new Set(CASES.map(({ wanted: { resource, subresource } }) => [resource, subresource].filter(Boolean).join('/'))),
];
const GROUPS = [...new Set(CASES.map(({ wanted }) => wanted.group))];
/** So that enough is allowed, among so many groups and resources. */
const all = (times: number): readonly string[] => Array.from({ length: times }, () => '*');
const anyRule: fc.Arbitrary<PolicyRule> = fc
  .record({
    verbs: some(...Object.keys(METHODS), '*', '*', '*'),
    apiGroups: some(...GROUPS, '', 'batch', ...all(6)),
    resources: some(...RESOURCES, '*/status', ...all(12)),
    resourceNames: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some('x', 'y') }),
  })
  .map(({ resourceNames, ...given }) => (resourceNames.length === 0 ? given : { ...given, resourceNames }));
const anyPolicy = fc
  .array(
    fc.record({
      user: fc.constantFrom('jane', 'jane', 'jane', 'joe', 'system:authenticated'),
      namespace: fc.constantFrom(...NAMESPACES),
      rules: fc.array(anyRule, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 4 },
  )
  .map((all) => grants({ user: 'jane', namespace: '', rules: ASKING }, ...all));

describe('for any policy', () => {
  it('a review says what the request then gets, and so do the rules', async () => {
    expect(CASES.length).toBeGreaterThan(150);
    const world = await aGuardedWorld(policyOf([], []), { streamMaxSec: 0 });
    const counts = { yes: 0, no: 0 };
    await fc.assert(
      fc.asyncProperty(anyPolicy, async (policy) => {
        world.allow(policy);
        const rules = new Map<string, readonly PolicyRule[]>();
        for (const namespace of ['team-a', 'team-b', 'x', 'y']) {
          const { status } = await ask(world, 'selfsubjectrulesreviews', { spec: { namespace } });
          rules.set(namespace, status['resourceRules'] as readonly PolicyRule[]);
        }
        // A hundred and fifty thousand calls of `expect` would take an eighth of the time.
        const faults: string[] = [];
        for (const { wanted, method, path } of CASES) {
          const { kind: _, ...resourceAttributes } = wanted;
          const { allowed } = await may(world, { resourceAttributes });
          const response = await world.send(method, path, method === 'GET' ? {} : { body: '{' });
          const text = await response.text();
          const isRefused = response.status === 403 && text.includes('User \\"jane\\" cannot');
          if (allowed !== !isRefused)
            faults.push(`${method} ${path}, allowed by its review: ${String(allowed)}: ${text}`);
          // The rules of a namespace have those of the cluster, which alone say what may be done everywhere.
          const inAll = ['team-a', 'team-b', 'x', 'y'].map((each) => allows(rules.get(each) ?? [], wanted));
          const own = rules.get(wanted.namespace);
          const said = own === undefined ? inAll : [allows(own, wanted)];
          // What is allowed everywhere is in all of them; what is not may still be allowed in one of them.
          if ((allowed === true || own !== undefined) && said.some((each) => each !== allowed))
            faults.push(`${method} ${path}, allowed by its review: ${String(allowed)}, by rules: ${said.join()}`);
          counts[allowed === true ? 'yes' : 'no']++;
        }
        expect(faults).toEqual([]);
      }),
      { numRuns: 200, seed: 20_261_128 },
    );
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(5_000);
  });
});

const allows = (rules: readonly PolicyRule[], wanted: Attributes): boolean =>
  rules.some((each) => ruleAllows(each, wanted));
