import { CONTAINER_LABELS } from '../../shared/domain/task/container-labels.ts';
import type { ContainerRun } from '../ecs/driver/driver.ts';
import { groupsIn, volumesWithFiles, writesFiles } from '../ecs/driver/files-driver.ts';
import { type HostPlaces, hostPathsOf } from '../ecs/driver/host-paths.ts';
import { mountPlaces, volumesInParts } from '../ecs/driver/mount-places.ts';
import { type SecretStores, readSecrets } from '../ecs/driver/secret-files.ts';
import type { TaskFiles } from '../ecs/driver/task-files.ts';
import type { TokenFiles } from '../ecs/driver/token-files.ts';
import type { VolumeFolders } from '../ecs/driver/volume-folders.ts';
import type { ContainerEnd } from '../ecs/task-life.ts';
import type { TaskRecord } from '../ecs/task-record.ts';
import { type OwnNetwork, containerRequest, sandboxRequest } from './container-request.ts';
import { type Engine, EngineError } from './engine.ts';
import { type EngineContainer, endOf, inspectContainer } from './found-container.ts';
import { IDLE_IMAGE } from './idle-image.ts';
import type { Images, PullPolicy } from './images.ts';
import { UnstartableError } from './unstartable.ts';
import { pullAuth } from './pull-auth.ts';
import { containerName, networkName, sandboxName, volumePrefix } from './names.ts';

export type StarterOptions = {
  readonly engine: Engine;
  readonly images: Images;
  /** How many the engine has: it refuses a container that is to have more. */
  readonly cpus: number;
  readonly installation: string;
  readonly files: TaskFiles;
  readonly volumes: VolumeFolders;
  readonly workspaceDir: string;
  /** Variables of every container, unless it sets them itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: SecretStores;
  readonly hosts: HostPlaces;
  /** How containers call the API; null: they have no tokens for it. */
  readonly tokens: Pick<TokenFiles, 'access'> | null;
  readonly now: () => number;
};

/** What is known of the driver's wish while a start is under way. */
export type Wish = {
  /** The task is to end: what has not begun must not begin. */
  isWithdrawn(): boolean;
  /** Which life of the engine it is. */
  life(): string;
};

export type Started =
  | { readonly kind: 'begun'; readonly container: EngineContainer }
  | { readonly kind: 'over'; readonly end: ContainerEnd };

/** Starts containers, and the one that holds the network of a task with several. */
export class Starter {
  readonly #options: StarterOptions;
  readonly #sandboxes = new Map<string, Promise<void>>();

  constructor(options: StarterOptions) {
    this.#options = options;
  }

  /**
   * Starts a container, or says how it ended without: a program never runs twice in one task. May be repeated as often as the
   * engine goes away, which throws an EngineError without a status.
   */
  async start(run: ContainerRun, wish: Wish): Promise<Started> {
    const { engine, images, files, now } = this.#options;
    const { task, container } = run;
    const name = containerName(task.id, container.name);
    const over = (end: ContainerEnd): Started => ({ kind: 'over', end });
    const withdrawn = (): Started =>
      over({ kind: 'unstartable', reason: 'stopped before it was started', atMs: now() });
    if (wish.isWithdrawn()) return withdrawn();
    await images.provide(container.image, pullPolicy(container), () => pullAuth(container, this.#options.secrets));
    const isNew = await this.#create(name, await this.#request(run));
    const begun = files.begun(task.id, container.name);
    if (isNew && begun !== null) return over(endOf(container.name, null, null, now()));
    if (wish.isWithdrawn()) return withdrawn();
    const before = isNew ? null : await inspectContainer(engine, name);
    if (isNew || before?.state === 'created') {
      // Its start was under way when the engine ended: nobody knows whether the program has run.
      if (begun !== null && begun.life !== wish.life()) return over(endOf(container.name, null, 'engine', now()));
      files.begin(task.id, container.name, wish.life());
      await engine.ask({ method: 'POST', path: `/containers/${name}/start` });
    }
    const found = await inspectContainer(engine, name);
    return found === null ? over(endOf(container.name, null, null, now())) : { kind: 'begun', container: found };
  }

  /** Nothing is known of the engine's containers any more. */
  forgetSandboxes(): void {
    this.#sandboxes.clear();
  }

  /** The task has ended. */
  forgetSandbox(taskId: string): void {
    this.#sandboxes.delete(taskId);
  }

  async #request(run: ContainerRun): Promise<object> {
    const { volumes, workspaceDir, environment, installation, cpus } = this.#options;
    const { task, container, definition = { containerDefinitions: [container] } } = run;
    const own: OwnNetwork = { kind: 'own', name: networkName(installation) };
    const network = sharesNetwork(run) ? ({ kind: 'shared', sandbox: sandboxName(task.id) } as const) : own;
    if (network.kind === 'shared') await this.#sandbox(run, own);
    const secrets = readSecrets(container, this.#options.secrets);
    if (secrets.kind === 'missing') throw new UnstartableError(secrets.reason);
    const access = (await this.#options.tokens?.access(task)) ?? null;
    return containerRequest(run, {
      installation,
      cpus,
      environment: { ...environment, ...access?.environment },
      accessDir: access?.folder ?? null,
      secrets: secrets.variables,
      workspaceDir,
      volumePrefix: volumePrefix(installation, volumes.owner(task)),
      mounts: this.#mounts(run),
      groups: groupsIn(container, definition),
      network,
    });
  }

  /** What is there may have changed since the task was set up: an init container may have put a link there. */
  #mounts(run: ContainerRun): readonly (string | null)[] {
    const { volumes, hosts } = this.#options;
    const { task, container, definition = { containerDefinitions: [container] } } = run;
    if ((container.mountPoints ?? []).length === 0) return [];
    const hostPaths = hostPathsOf({ ...definition, containerDefinitions: [container] }, hosts);
    if (hostPaths.kind === 'refused') throw new UnstartableError(hostPaths.reason);
    const folders = new Set([...volumesWithFiles(definition), ...volumesInParts(definition)]);
    const found = mountPlaces(run, {
      hostPaths: hostPaths.places,
      dir: volumes.use(task),
      isFolder: (volume) => folders.has(volume),
      // As the kubelet makes them: whatever user a container has.
      mode: 0o777,
    });
    if (found.kind === 'refused') throw new UnstartableError(found.reason);
    return found.places;
  }

  /** Returns whether it is new: a name is taken once, and if it is taken, an earlier try has made it. */
  async #create(name: string, body: object): Promise<boolean> {
    try {
      await this.#options.engine.ask({ method: 'POST', path: '/containers/create', query: { name }, body });
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.status === 409) return false;
      throw error;
    }
  }

  /** Once for all containers of a task. */
  async #sandbox(run: ContainerRun, own: OwnNetwork): Promise<void> {
    const { id } = run.task;
    const made = this.#sandboxes.get(id) ?? this.#makeSandbox(run, own);
    this.#sandboxes.set(id, made);
    try {
      await made;
    } catch (error) {
      this.#sandboxes.delete(id);
      throw error;
    }
  }

  async #makeSandbox(run: ContainerRun, own: OwnNetwork): Promise<void> {
    const { engine, installation } = this.#options;
    const name = sandboxName(run.task.id);
    await this.#create(name, sandboxRequest(run, IDLE_IMAGE, installation, own));
    await engine.ask({ method: 'POST', path: `/containers/${name}/start` });
  }
}

/** An image that is here is taken: what people build on their machine has no registry to come from. */
function pullPolicy({ dockerLabels = {} }: ContainerRun['container']): PullPolicy {
  const named = dockerLabels[CONTAINER_LABELS.pullPolicy];
  return named === 'Always' || named === 'Never' ? named : 'IfNotPresent';
}

/** The programs of a task share a network that none of them may end; what writes files is no program. */
const sharesNetwork = ({ task, definition }: ContainerRun): boolean =>
  isGroup(task) &&
  (definition === undefined || definition.containerDefinitions.filter((each) => !writesFiles(each)).length > 1);

/** It may have a container that holds its network. */
export const isGroup = ({ containers }: TaskRecord): boolean => containers.length > 1;

/**
 * Why a container cannot start, in the words of ECS (Amazon ECS stopped tasks error messages). What the engine itself failed at
 * (5xx) is no fault of the task.
 */
export function startEnd(name: string, error: unknown, atMs: number): ContainerEnd {
  const said = error instanceof Error ? error.message : String(error);
  if (error instanceof UnstartableError) return { kind: 'unstartable', reason: said, atMs };
  if (error instanceof EngineError && error.status !== null && error.status < 500)
    return { kind: 'unstartable', reason: `CannotStartContainerError: Error response from daemon: ${said}`, atMs };
  return { kind: 'lost', reason: `container ${name} could not be started: ${said}`, atMs };
}
