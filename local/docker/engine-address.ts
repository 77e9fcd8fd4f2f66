import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { EngineAddress } from './engine.ts';

/** What is looked at to find an engine. */
export type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** A file's text; null: there is none that can be read. */
  readonly read: (path: string) => string | null;
  readonly isSocket: (path: string) => boolean;
};

const ConfigSchema = z.looseObject({ currentContext: z.string().optional() });
const ContextSchema = z.looseObject({
  Endpoints: z.looseObject({ docker: z.looseObject({ Host: z.string().optional() }).optional() }).optional(),
});

export type FoundEngine =
  | { readonly kind: 'found'; readonly address: EngineAddress; readonly by: string }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The engine that the docker command line would use: `DOCKER_HOST`, or the context that `DOCKER_CONTEXT` or its configuration
 * names (https://docs.docker.com/engine/manage-resources/contexts); then the sockets that engines usually have. Pure but for
 * what it reads.
 */
export function findEngine(surroundings: Surroundings): FoundEngine {
  const { env, homeDir, isSocket } = surroundings;
  const host = env['DOCKER_HOST'] ?? '';
  if (host !== '') return addressOf(host, 'DOCKER_HOST', surroundings);
  const context = contextOf(surroundings);
  if (context !== null) {
    const named = contextHost(context, surroundings);
    if (named === null) return { kind: 'none', reason: `the docker context ${context} does not exist` };
    return addressOf(named, `the docker context ${context}`, surroundings);
  }
  const usual = [
    '/var/run/docker.sock',
    join(homeDir, '.docker', 'run', 'docker.sock'),
    join(homeDir, '.colima', 'default', 'docker.sock'),
    ...(env['XDG_RUNTIME_DIR'] === undefined ? [] : [join(env['XDG_RUNTIME_DIR'], 'podman', 'podman.sock')]),
  ];
  const path = usual.find(isSocket);
  if (path === undefined)
    return { kind: 'none', reason: `no container engine was found: looked for ${usual.join(', ')}` };
  return { kind: 'found', address: { kind: 'socket', path }, by: path };
}

/** Where the docker command line keeps its settings. */
export const configDir = ({ env, homeDir }: Pick<Surroundings, 'env' | 'homeDir'>): string =>
  env['DOCKER_CONFIG'] ?? join(homeDir, '.docker');

function contextOf(surroundings: Surroundings): string | null {
  const named = surroundings.env['DOCKER_CONTEXT'] ?? '';
  const text = surroundings.read(join(configDir(surroundings), 'config.json'));
  const config = text === null ? null : ConfigSchema.safeParse(jsonOf(text));
  const context = named === '' ? (config?.data?.currentContext ?? '') : named;
  return context === '' || context === 'default' ? null : context;
}

function contextHost(context: string, surroundings: Surroundings): string | null {
  const folder = createHash('sha256').update(context).digest('hex');
  const text = surroundings.read(join(configDir(surroundings), 'contexts', 'meta', folder, 'meta.json'));
  if (text === null) return null;
  return ContextSchema.safeParse(jsonOf(text)).data?.Endpoints?.docker?.Host ?? null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function addressOf(host: string, by: string, { env }: Surroundings): FoundEngine {
  const [scheme, rest = ''] = host.split('://');
  if (scheme === 'unix') return { kind: 'found', address: { kind: 'socket', path: rest }, by };
  if (scheme !== 'tcp' && scheme !== 'http' && scheme !== 'https')
    return { kind: 'none', reason: `${by} is ${host}: expected unix:// or tcp://` };
  const certDir = env['DOCKER_CERT_PATH'] ?? null;
  const isSecure = scheme === 'https' || (env['DOCKER_TLS_VERIFY'] ?? '') !== '' || rest.endsWith(':2376');
  return { kind: 'found', address: { kind: 'host', url: `${isSecure ? 'https' : 'http'}://${rest}`, certDir }, by };
}
