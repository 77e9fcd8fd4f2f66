import { randomUUID } from 'node:crypto';
import { DEFAULT_ACCOUNT } from '../../../domain/callers/accounts.ts';
import { podName, podUid } from '../../../domain/task/pod-name.ts';
import { tidyPath } from '../../../domain/task/volumes/volume-files.ts';
import { parseGroup } from '../../../domain/task/task-group.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { GROUP_PREFIX } from '../../../names/env.ts';
import type { OpenTaskTokens } from '../../../../local/local-part.ts';
import type { Signed, TaskOfPod, TaskTokens } from '../../../../local/tokens/task-tokens.ts';
import { claimsOf } from '../domain/token-claims.ts';
import { MOUNTED_LIFE_SEC, isMounted, podTokens, renewalSec } from '../domain/pod-tokens.ts';
import type { AccountTokens } from '../ports/account-tokens.ts';

/** Where containers find the API, and whom they can trust there. */
export type ApiPlace = { readonly host: string; readonly port: number; readonly authority: string };

/**
 * Signs tokens for the Pods that tasks run.
 *
 * @param deps of the runtime, once it has them: tasks of an earlier run start before
 * @param place null: containers are not meant to call the API
 */
export const taskTokens = (
  signer: Pick<AccountTokens, 'sign'>,
  deps: Promise<Pick<Deps, 'jobs' | 'clock'>>,
  readAccount: Parameters<OpenTaskTokens>[0]['readAccount'],
  place: ApiPlace | null,
): TaskTokens => ({
  async sign(task) {
    const { jobs, clock } = await deps;
    const pod = await podOf(task, jobs);
    if (pod === null) return NO_POD;
    const { namespace, spec } = pod;
    const name = spec.serviceAccountName ?? DEFAULT_ACCOUNT;
    const account = await readAccount({ namespace, name });
    if (account === null) return { kind: 'refused', why: `serviceaccounts ${JSON.stringify(name)} not found` };
    const { automountServiceAccountToken = null, metadata } = account.document as AccountDocument;
    const nowSec = Math.floor(clock.now() / 1000);
    const sign = async (audiences: readonly string[], lifeSec: number): Promise<string> => {
      const owner = { namespace, account: { name, uid: metadata.uid }, pod: { name: pod.name, uid: pod.uid } };
      return signer.sign(claimsOf({ ...owner, audiences, lifeSec }, nowSec, randomUUID()));
    };
    const wanted = podTokens(spec);
    const files = await Promise.all(
      wanted.map(
        async ({ volume, path, audiences, lifeSec }) =>
          [`${volume}/${tidyPath(path)}`, await sign(audiences, lifeSec)] as const,
      ),
    );
    const isAccessible = place !== null && isMounted(spec, automountServiceAccountToken);
    const lives = [...wanted.map(({ lifeSec }) => lifeSec), ...(isAccessible ? [MOUNTED_LIFE_SEC] : [])];
    return {
      kind: 'signed',
      files: new Map(files),
      access: isAccessible ? accessTo(place, namespace, await sign([], MOUNTED_LIFE_SEC)) : null,
      renewAtMs: clock.now() + Math.min(...lives.map(renewalSec)) * 1000,
    };
  },
});

const NO_POD: Signed = { kind: 'refused', why: 'no Pod is known for the task, so it can have no token' };

type AccountDocument = {
  readonly automountServiceAccountToken?: boolean;
  readonly metadata: { readonly uid: string };
};

/** The names and the variables that clients look for. */
const accessTo = ({ host, port, authority }: ApiPlace, namespace: string, token: string) => ({
  files: { token, 'ca.crt': authority, namespace },
  environment: {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: String(port),
    KUBERNETES_SERVICE_PORT_HTTPS: String(port),
  },
});

/** The Pod of a task; null: its Job is gone, or it has none. */
async function podOf({ startedBy, group }: TaskOfPod, jobs: Pick<Deps['jobs'], 'readSpec'>) {
  const attempt = parseGroup(GROUP_PREFIX, group);
  const spec = startedBy === null || attempt === null ? null : await jobs.readSpec(startedBy as JobUid);
  if (spec === null || attempt === null) return null;
  const { identity, manifest } = spec;
  return {
    namespace: identity.namespace,
    spec: manifest.spec.template.spec,
    name: podName({ ...identity, completionMode: manifest.spec.completionMode }, attempt.index, attempt.attempt),
    uid: podUid(identity.uid, attempt.index, attempt.attempt),
  };
}
