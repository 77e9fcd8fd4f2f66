import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readOwn, setAside, writeWhole } from '../whole-file.ts';

const InstanceRecordSchema = z.object({
  id: z.string(),
  attributes: z.record(z.string(), z.string()).readonly(),
  creatorRequestId: z.string().nullable(),
});

const ServiceRecordSchema = z.object({
  schema: z.literal(1),
  id: z.string().regex(/^srv-[0-9a-z]+$/),
  name: z.string(),
  description: z.string().nullable(),
  creatorRequestId: z.string().nullable(),
  ttlSec: z.number(),
  createdAtMs: z.number(),
  instances: z.array(InstanceRecordSchema),
});

export type InstanceRecord = Readonly<z.infer<typeof InstanceRecordSchema>>;
export type NewService = Omit<Readonly<z.infer<typeof ServiceRecordSchema>>, 'schema' | 'instances'>;

/** A name in the zone. `instances` is what DNS answers; `changing` is what callers have requested since. */
export type Service = NewService & {
  readonly instances: ReadonlyMap<string, InstanceRecord>;
  /** by instance: the operation in progress and the resulting instance; null: none */
  readonly changing: ReadonlyMap<string, InstanceChange>;
};

export type InstanceChange = { readonly operationId: string; readonly to: InstanceRecord | null };

type Entry = NewService & {
  readonly instances: Map<string, InstanceRecord>;
  readonly changing: Map<string, InstanceChange>;
};

/**
 * The services of one namespace and their instances, one file per service. The disk holds the result of every accepted
 * operation, so after a crash the interrupted ones complete. Writes are synchronous: no call is answered before them.
 */
export class Registry {
  readonly #dir: string | null;
  readonly #byId = new Map<string, Entry>();
  /** by the name in lower case, because DNS ignores case */
  readonly #byName = new Map<string, Entry>();
  readonly #listeners: ((name: string) => void)[] = [];

  /**
   * Reads the contents of `dir`; null keeps everything in memory. Creates the folder on the first write. Moves aside a file
   * that is not a service (torn when the machine crashed) and calls `warn`.
   */
  constructor(dir: string | null, warn: (message: string) => void = () => undefined) {
    this.#dir = dir;
    if (dir === null || !existsSync(dir)) return;
    for (const file of readdirSync(dir)) {
      if (!file.endsWith('.json')) continue;
      const record = readService(join(dir, file), warn);
      if (record === null) continue;
      const { instances, ...service } = record;
      this.#add({
        ...service,
        instances: new Map(instances.map((instance) => [instance.id, instance])),
        changing: new Map(),
      });
    }
  }

  /** Sorted by id, so that pages neither repeat nor miss services that remain. */
  all(): readonly Service[] {
    return [...this.#byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  get(id: string): Service | null {
    return this.#byId.get(id) ?? null;
  }

  named(name: string): Service | null {
    return this.#byName.get(name.toLowerCase()) ?? null;
  }

  /** Whether a name with instances ends in `.name`: then this name exists in DNS, too, although it has no record. */
  hasBelow(name: string): boolean {
    const end = `.${name.toLowerCase()}`;
    for (const [below, { instances }] of this.#byName) if (below.endsWith(end) && instances.size > 0) return true;
    return false;
  }

  /** Instances of all services that exist or are being registered. */
  get instanceCount(): number {
    let count = 0;
    for (const service of this.#byId.values()) count += claimedOf(service);
    return count;
  }

  create(service: NewService): void {
    const entry = { ...service, instances: new Map(), changing: new Map() };
    this.#write(entry);
    this.#add(entry);
  }

  delete(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.#byName.delete(entry.name.toLowerCase());
    if (this.#dir !== null) rmSync(join(this.#dir, `${id}.json`), { force: true });
  }

  /** Accepts a change to an instance. It becomes visible when {@link complete} is called. */
  accept(serviceId: string, instanceId: string, change: InstanceChange): void {
    const entry = this.#byId.get(serviceId);
    if (entry === undefined) return;
    entry.changing.set(instanceId, change);
    this.#write(entry);
  }

  /** Applies an accepted change, or (`undo`) drops it. */
  complete(serviceId: string, instanceId: string, undo = false): void {
    const entry = this.#byId.get(serviceId);
    const change = entry?.changing.get(instanceId);
    if (entry === undefined || change === undefined) return;
    entry.changing.delete(instanceId);
    if (undo) this.#write(entry);
    else if (change.to === null) entry.instances.delete(instanceId);
    else entry.instances.set(instanceId, change.to);
    for (const listener of this.#listeners) listener(entry.name);
  }

  /** Calls `listener` with the name of each service whose instances change from now on. */
  watch(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  #add(entry: Entry): void {
    this.#byId.set(entry.id, entry);
    this.#byName.set(entry.name.toLowerCase(), entry);
  }

  #write({ instances, changing, ...service }: Entry): void {
    if (this.#dir === null) return;
    const after = new Map(instances);
    for (const [id, { to }] of changing) {
      if (to === null) after.delete(id);
      else after.set(id, to);
    }
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const record = { ...service, schema: 1, instances: [...after.values()] };
    writeWhole(join(this.#dir, `${service.id}.json`), JSON.stringify(record), 'fast');
  }
}

/** Instances of a service that exist or are being registered. */
export function claimedOf({ instances, changing }: Pick<Service, 'instances' | 'changing'>): number {
  let count = instances.size;
  for (const [id, { to }] of changing) if (to !== null && !instances.has(id)) count++;
  return count;
}

/**
 * null if it is not a service file; the file was then moved aside. Its tasks died with the machine, and the next user of
 * the name creates it again.
 */
function readService(path: string, warn: (message: string) => void): z.output<typeof ServiceRecordSchema> | null {
  try {
    return ServiceRecordSchema.parse(JSON.parse(readOwn(path)));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    warn(`${path} is torn: its hostnames will be registered again. The file is now ${setAside(path)}`);
    return null;
  }
}
