import { createInterface } from 'node:readline';
import * as z from 'zod';
import { type Engine, EngineError, type RegistryAuth, isAway } from './engine.ts';
import { parseImageName } from './image-name.ts';
import type { PullAuth } from './pull-auth.ts';
import { UnstartableError } from './unstartable.ts';

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** How far a pull is; null while it is not known. */
export type PullProgress = { readonly doneBytes: number; readonly totalBytes: number };

export type Images = {
  /**
   * Resolves when the engine has the image. Tasks that want the same image wait for one pull.
   *
   * @param authOf the Pod's own credentials, asked for only if it is pulled; of none, those of the docker command line are taken
   *
   * Throws {@link UnstartableError}, or an EngineError if the engine is away.
   */
  provide(image: string, policy: PullPolicy, authOf: () => PullAuth): Promise<void>;
  /** The pulls that are under way. */
  pulling(): ReadonlyMap<string, PullProgress | null>;
};

/** A line of the engine's answer (Docker Engine API, ImageCreate). */
const LineSchema = z.looseObject({
  id: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
  progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).optional(),
});

/** @param authFor credentials for a registry; null: none are known */
export function openImages(engine: Engine, authFor: (registry: string) => Promise<RegistryAuth | null>): Images {
  const pulls = new Map<string, Promise<void>>();
  const progress = new Map<string, PullProgress | null>();

  const isThere = async (image: string): Promise<boolean> => {
    try {
      await engine.ask({ method: 'GET', path: `/images/${image}/json` });
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) return false;
      if (error instanceof EngineError && error.status === 400)
        throw new UnstartableError(`CannotPullContainerError: InvalidImageName: ${error.message}`);
      throw error;
    }
  };

  const pull = async (image: string, given: RegistryAuth | null): Promise<void> => {
    const { repository, tag, registry } = parseImageName(image);
    try {
      const auth = given ?? (await authFor(registry));
      const query = { fromImage: repository, tag };
      const never = new AbortController();
      const answer = await engine.stream({ method: 'POST', path: '/images/create', query, auth }, never.signal);
      const layers = new Map<string, PullProgress>();
      for await (const text of createInterface({ input: answer })) {
        if (text.trim() === '') continue;
        const { id = '', error, progressDetail: { current, total } = {} } = LineSchema.parse(JSON.parse(text));
        if (error !== undefined) throw new UnstartableError(cannotPull(error));
        if (current === undefined || total === undefined) continue;
        layers.set(id, { doneBytes: current, totalBytes: total });
        progress.set(image, sumOf(layers));
      }
    } catch (error) {
      if (error instanceof EngineError && !isAway(error)) throw new UnstartableError(cannotPull(error.message));
      throw error;
    }
  };

  return {
    async provide(image, policy, authOf) {
      if (policy !== 'Always' && (await isThere(image))) return;
      if (policy === 'Never')
        throw new UnstartableError(
          `CannotPullContainerError: ErrImageNeverPull: Container image "${image}" is not present with pull policy of Never`,
        );
      const given = authOf();
      if (given.kind === 'missing') throw new UnstartableError(given.reason);
      const { auth } = given;
      // What one may pull with its credentials is not another's.
      const key = JSON.stringify([image, auth]);
      let pulled = pulls.get(key);
      if (pulled === undefined) {
        progress.set(image, null);
        pulled = pull(image, auth).finally(() => {
          pulls.delete(key);
          progress.delete(image);
        });
        pulls.set(key, pulled);
      }
      await pulled;
    },
    pulling: () => progress,
  };
}

/** ECS's own words (Amazon ECS, CannotPullContainer task errors). */
const cannotPull = (why: string): string => `CannotPullContainerError: Error response from daemon: ${why}`;

function sumOf(layers: ReadonlyMap<string, PullProgress>): PullProgress {
  let [doneBytes, totalBytes] = [0, 0];
  for (const layer of layers.values()) {
    doneBytes += layer.doneBytes;
    totalBytes += layer.totalBytes;
  }
  return { doneBytes, totalBytes };
}
