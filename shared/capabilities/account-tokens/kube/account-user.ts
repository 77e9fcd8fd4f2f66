import type { ReadTokenUser } from '../../../kube/http/api-deps.ts';
import { findPod } from '../../../kube/pods/find-pod.ts';
import { readAccount } from '../../../store/read-account.ts';
import { isHeld, userOf } from '../domain/token-claims.ts';
import { readClaims } from '../schema/read-claims.ts';
import type {} from '../ports/account-tokens.ts';

/** The ServiceAccount that a token stands for, as long as the account exists, and the Pod that the token is bound to. */
export const accountUser: ReadTokenUser = async (token, deps) => {
  const payload = (await deps.ports?.accountTokens?.read(token)) ?? null;
  const claims = payload === null ? null : readClaims(payload);
  if (claims === null || !isHeld(claims, deps.clock.now() / 1000)) return null;
  const { namespace, serviceaccount, pod } = claims['kubernetes.io'];
  const account = await readAccount({ namespace, name: serviceaccount.name }, deps.objects);
  if (account?.document.metadata.uid !== serviceaccount.uid) return null;
  if (pod !== undefined && (await findPod(namespace, pod.name, deps))?.pod.metadata.uid !== pod.uid) return null;
  return userOf(claims);
};
