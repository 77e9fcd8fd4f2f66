import {
  CreateSecretCommand,
  type CreateSecretCommandInput,
  DeleteSecretCommand,
  type DeleteSecretCommandInput,
  ListSecretsCommand,
  type ListSecretsCommandInput,
  type ListSecretsCommandOutput,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  SecretsManagerClient,
  TagResourceCommand,
  type TagResourceCommandInput,
  type Tag,
} from '@aws-sdk/client-secrets-manager';
import { type Connection, clientConfig } from '../../../adapters/aws/connection.ts';
import {
  SECRET_PREFIX,
  objectSecretName,
  parseObjectSecretName,
  parsePullCopyName,
  pullCopyName,
} from '../../../names/secrets.ts';
import type { Later, Refused } from '../../../ports/tasks.ts';
import type { SecretCopies, SecretCopy } from '../ports/secret-copies.ts';

declare module '../../../runtime/sdk-client.ts' {
  interface CapabilityClients {
    readonly secretsManager: SecretsManagerClient;
  }
}

/** Few calls: one for each version of a Secret and process. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 5_000, maxSockets: 16 };

export const createSecretsManagerClient = (connection: Connection): SecretsManagerClient =>
  new SecretsManagerClient(clientConfig(connection, PATIENCE));

/** The calls of Secrets Manager that copies need. */
export type SecretsManagerCalls = {
  createSecret(input: CreateSecretCommandInput): Promise<unknown>;
  putSecretValue(input: PutSecretValueCommandInput): Promise<unknown>;
  deleteSecret(input: DeleteSecretCommandInput): Promise<unknown>;
  listSecrets(input: ListSecretsCommandInput): Promise<ListSecretsCommandOutput>;
  tagResource(input: TagResourceCommandInput): Promise<unknown>;
};

export const sdkSecretsManagerCalls = (client: SecretsManagerClient): SecretsManagerCalls => ({
  createSecret: (input) => client.send(new CreateSecretCommand(input)),
  putSecretValue: (input) => client.send(new PutSecretValueCommand(input)),
  deleteSecret: (input) => client.send(new DeleteSecretCommand(input)),
  listSecrets: (input) => client.send(new ListSecretsCommand(input)),
  tagResource: (input) => client.send(new TagResourceCommand(input)),
});

/** Secrets Manager's limit for a value, in bytes (Secrets Manager quotas). */
const VALUE_BYTES_MAX = 65_536;

/** Copies that one process remembers to have made, and how long: the sweep, or an operator, may have removed one. */
const REMEMBERED_MAX = 1_000;
const REMEMBERED_MS = 10 * 60_000;

/** By this tag an operator sees whose they are. */
const TAG = { Key: 'muster', Value: 'copy' } as const;

/** Since when nothing new names the credentials of a registry, in milliseconds. */
const RETIRED_AT = 'muster-retired-at';

/**
 * {@link SecretCopies} in Secrets Manager: a secret for each Secret, a version of it for each version that a task reads. A version
 * never changes, so a call that is repeated does nothing; the version's name is the token of the call. Credentials for pulls are a
 * secret of their own for each version: see {@link pullCopyName}.
 */
export function createSecretsManager(calls: SecretsManagerCalls, now: () => number): SecretCopies {
  const made = new Map<string, number>();
  return {
    async put(copy) {
      const { name, version, values } = copy;
      const id = `${placeOf(copy)} ${version}`;
      const madeAtMs = made.get(id);
      if (madeAtMs !== undefined && now() < madeAtMs + REMEMBERED_MS) return { kind: 'there' };
      const text = JSON.stringify(Object.fromEntries(values));
      const bytes = new TextEncoder().encode(text).length;
      if (bytes > VALUE_BYTES_MAX)
        return {
          kind: 'refused',
          reason: `CreateContainerConfigError: secret "${name}" has ${bytes} bytes as JSON, and tasks on Fargate read at most ${VALUE_BYTES_MAX} of one: split it, or keep large files on a file system`,
        };
      try {
        await putVersion(copy, text, calls);
      } catch (error) {
        return faultOf(copy, nameOf(error));
      }
      made.delete(id);
      made.set(id, now());
      for (const oldest of made.keys()) {
        if (made.size <= REMEMBERED_MAX) break;
        made.delete(oldest);
      }
      return { kind: 'there' };
    },

    async remove({ namespace, name }) {
      await remove(objectSecretName(namespace, name), calls);
    },

    removePull: async (pull) => remove(pullCopyName(pull), calls),

    async retirePull(pull, atMs) {
      try {
        await calls.tagResource({ SecretId: pullCopyName(pull), Tags: [{ Key: RETIRED_AT, Value: String(atMs) }] });
      } catch (error) {
        if (nameOf(error) !== NOT_FOUND) throw error;
      }
    },

    async list(after) {
      const { SecretList = [], NextToken } = await calls.listSecrets({
        Filters: [{ Key: 'name', Values: [SECRET_PREFIX] }],
        ...(after === null ? {} : { NextToken: after }),
      });
      return {
        secrets: SecretList.flatMap(({ Name = '' }) => parseObjectSecretName(Name) ?? []),
        pulls: SecretList.flatMap(({ Name = '', Tags }) => {
          const pull = parsePullCopyName(Name);
          return pull === null ? [] : [{ ...pull, retiredAtMs: retiredAtOf(Tags) }];
        }),
        next: NextToken ?? null,
      };
    },
  };
}

/** What passes by itself; anything else an operator has to mend: a right, a quota, a key. */
const PASSING =
  /^(Throttling\w*|TooManyRequests\w*|RequestLimitExceeded|InternalService\w*|InvalidRequestException|Resource(NotFound|Exists)Exception|ServiceUnavailable\w*|TimeoutError|AbortError|Error)$/;

const faultOf = ({ name }: SecretCopy, fault: string): Later | Refused =>
  PASSING.test(fault)
    ? { kind: 'later', reason: `Secrets Manager: ${fault}` }
    : {
        kind: 'refused',
        reason: `${fault}: Secrets Manager takes no copy of the secret "${name}" for tasks`,
        misconfigured: true,
      };

const NOT_FOUND = 'ResourceNotFoundException';
const EXISTS = 'ResourceExistsException';

/** Name of the secret in which a copy is. */
const placeOf = ({ namespace, name, version, registry }: SecretCopy): string =>
  registry === undefined ? objectSecretName(namespace, name) : pullCopyName({ namespace, name, version, registry });

/** Anything that is no moment counts as never. */
function retiredAtOf(tags: readonly Tag[] = []): number | null {
  const noted = Number(tags.find(({ Key }) => Key === RETIRED_AT)?.Value);
  return Number.isSafeInteger(noted) ? noted : null;
}

async function remove(SecretId: string, calls: SecretsManagerCalls): Promise<void> {
  try {
    await calls.deleteSecret({ SecretId, ForceDeleteWithoutRecovery: true });
  } catch (error) {
    if (nameOf(error) !== NOT_FOUND) throw error;
  }
}

/** Of two that make the secret at once, one finds that it exists, and puts its version into it. */
async function putVersion(copy: SecretCopy, text: string, calls: SecretsManagerCalls): Promise<void> {
  const { version, registry } = copy;
  const id = placeOf(copy);
  const create = async (): Promise<unknown> =>
    calls.createSecret({ Name: id, ClientRequestToken: version, SecretString: text, Tags: [TAG] });
  if (registry !== undefined) return createOnce(create);
  const put = async (): Promise<unknown> =>
    calls.putSecretValue({ SecretId: id, ClientRequestToken: version, SecretString: text });
  try {
    await put();
  } catch (error) {
    if (nameOf(error) !== NOT_FOUND) throw error;
    try {
      await create();
    } catch (failure) {
      if (nameOf(failure) !== EXISTS) throw failure;
      await put();
    }
  }
}

/** What is there already is what would be made. */
async function createOnce(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (nameOf(error) !== EXISTS) throw error;
  }
}

/** The name only: a message of Secrets Manager may repeat what was sent. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error');
