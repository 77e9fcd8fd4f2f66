import { execFile } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import type { RegistryAuth } from './engine.ts';
import { type Surroundings, configDir } from './engine-address.ts';

const AuthSchema = z.looseObject({ auth: z.string().optional(), identitytoken: z.string().optional() });
const ConfigSchema = z.looseObject({
  auths: z.record(z.string(), AuthSchema).optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});
const CredentialsSchema = z.looseObject({ Username: z.string(), Secret: z.string() });

/**
 * The credentials that `docker login` has kept for a registry, in its configuration or with a credential helper
 * (https://docs.docker.com/reference/cli/docker/login); null: none. Read anew for each pull: a login counts at once.
 */
export async function authFor(registry: string, surroundings: Surroundings): Promise<RegistryAuth | null> {
  const text = surroundings.read(join(configDir(surroundings), 'config.json'));
  const config = text === null ? undefined : ConfigSchema.safeParse(jsonOf(text)).data;
  const helper = config?.credHelpers?.[registry] ?? config?.credsStore;
  if (helper !== undefined) {
    const found = await askHelper(helper, registry);
    if (found !== null) return found;
  }
  const kept = config?.auths?.[registry] ?? config?.auths?.[`https://${registry}`];
  if (kept?.identitytoken !== undefined && kept.identitytoken !== '')
    return { identitytoken: kept.identitytoken, serveraddress: registry };
  if (kept?.auth === undefined) return null;
  const [username = '', ...rest] = Buffer.from(kept.auth, 'base64').toString().split(':');
  return { username, password: rest.join(':'), serveraddress: registry };
}

/** A helper that is missing or knows nothing is as good as none: then the pull says what the registry wants. */
async function askHelper(helper: string, registry: string): Promise<RegistryAuth | null> {
  if (!/^[\w.-]+$/.test(helper)) return null;
  return new Promise((resolve) => {
    const child = execFile(`docker-credential-${helper}`, ['get'], { timeout: 10_000 }, (error, stdout) => {
      resolve(error === null ? readHelper(stdout, registry) : null);
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(registry);
  });
}

/**
 * What a helper says: a password, or a token, which has no user (https://docs.docker.com/reference/cli/docker/login, credential
 * helper protocol). Pure.
 */
export function readHelper(text: string, registry: string): RegistryAuth | null {
  const { data } = CredentialsSchema.safeParse(jsonOf(text));
  if (data === undefined) return null;
  return data.Username === '<token>'
    ? { identitytoken: data.Secret, serveraddress: registry }
    : { username: data.Username, password: data.Secret, serveraddress: registry };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
