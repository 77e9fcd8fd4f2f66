import type { Policy, PolicyRule } from '../../domain/policy.ts';
import { type aGuardedWorld, grants, rule } from './a-guarded-world.ts';

export const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
export const ASKING = [
  rule('create authorization.k8s.io/selfsubjectaccessreviews,authorization.k8s.io/selfsubjectrulesreviews'),
  rule('create authentication.k8s.io/selfsubjectreviews'),
];
export const jane = (...rules: readonly PolicyRule[]): Policy =>
  grants({ user: 'jane', namespace: '', rules: ASKING }, { user: 'jane', namespace: 'team-a', rules });

type World = Awaited<ReturnType<typeof aGuardedWorld>>;
type Review = { readonly status: Record<string, unknown>; readonly message: string; readonly [field: string]: unknown };

export async function ask(world: World, path: string, body: object, as = 'jane') {
  const response = await world.send('POST', `${AUTHORIZATION}/${path}`, { as, body });
  return { code: response.status, ...((await response.json()) as Review) };
}

export const may = async (world: World, spec: object, as = 'jane') =>
  (await ask(world, 'selfsubjectaccessreviews', { spec }, as)).status;
