import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as z from 'zod';
import { type Engine, EngineError, openEngine } from './engine.ts';
import { type Surroundings, findEngine } from './engine-address.ts';
import { type Images, openImages } from './images.ts';
import { authFor } from './registry-auth.ts';

/** A container engine that answers, or why there is none: a sentence for who starts Muster. */
export type Docker = OpenDocker | { readonly kind: 'closed'; readonly reason: string };

export type OpenDocker = {
  readonly kind: 'open';
  readonly engine: Engine;
  readonly images: Images;
  /** how many CPUs the engine has */
  readonly cpus: number;
};

/** There is no engine to start with. */
export class EngineFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EngineFault';
  }
}

const InfoSchema = z.looseObject({ OSType: z.string().optional(), NCPU: z.int().positive().optional() });

/** @param env where the engine is, by the variables of the docker command line */
export async function openDocker(env: Surroundings['env']): Promise<Docker> {
  const surroundings: Surroundings = { env, homeDir: homedir(), read: readText, isSocket };
  const found = findEngine(surroundings);
  if (found.kind === 'none') return { kind: 'closed', reason: found.reason };
  const engine = openEngine(found.address);
  try {
    const { OSType = 'linux', NCPU: cpus = Infinity } = InfoSchema.parse(
      await engine.ask({ method: 'GET', path: '/info' }),
    );
    if (OSType !== 'linux')
      return {
        kind: 'closed',
        reason: `the container engine at ${found.by} runs containers of ${OSType}, not of Linux`,
      };
    const images = openImages(engine, async (registry) => authFor(registry, surroundings));
    return { kind: 'open', engine, images, cpus };
  } catch (error) {
    engine.close();
    return { kind: 'closed', reason: `${whyNot(error)} (${found.by})` };
  }
}

/** Whether a container engine seems to be here; nothing is asked of it. */
export const hasDocker = (env: Surroundings['env']): boolean =>
  findEngine({ env, homeDir: homedir(), read: readText, isSocket }).kind === 'found';

function whyNot(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (/EACCES/.test(said))
    return `you may not use the container engine's socket: add yourself to its group (docker), and log in anew`;
  if (/ENOENT|ECONNREFUSED/.test(said)) return `the container engine does not answer: start it; ${said}`;
  return error instanceof EngineError ? `the container engine says: ${said}` : said;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

const isSocket = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
