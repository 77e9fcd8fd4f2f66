import type { User } from '../../../domain/callers/user.ts';
import type { Attributes } from '../../../domain/callers/attributes.ts';
import type { PolicyRule } from '../domain/policy.ts';
import type { AccessReview } from '../schema/self-review.ts';
import type { Authorizer } from '../../../kube/http/authorizer.ts';

/**
 * The status of an access review as roles have it. Nothing is `denied`: another role may allow it, and whether something is
 * served is another question.
 */
export async function statusByRoles(
  spec: AccessReview['spec'],
  user: User,
  authorizer: Pick<Authorizer, 'decide'>,
): Promise<object> {
  const { allowed, reason } = await authorizer.decide(user, attributesIn(spec));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function attributesIn(spec: AccessReview['spec']): Attributes {
  const { resourceAttributes, nonResourceAttributes } = spec ?? {};
  if (resourceAttributes === undefined) {
    const { verb = '', path = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', verb, path };
  }
  const { verb = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes;
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}

/** The status of a SelfSubjectRulesReview as roles have it. */
export async function rulesByRoles(
  user: User,
  namespace: string,
  authorizer: Pick<Authorizer, 'rulesOf'>,
): Promise<object> {
  const { rules, faults } = await authorizer.rulesOf(user, namespace);
  const isOfPaths = ({ nonResourceURLs = [] }: PolicyRule): boolean => nonResourceURLs.length > 0;
  return {
    resourceRules: rules.filter((rule) => !isOfPaths(rule)),
    nonResourceRules: rules.filter(isOfPaths).map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(faults.length === 0 ? {} : { evaluationError: faults.join(', ') }),
  };
}
