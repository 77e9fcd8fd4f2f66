import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TaskRecord } from './task-record.ts';

/** The members that lists of tasks read. */
type Shown = Pick<
  TaskRecord,
  'id' | 'cluster' | 'definition' | 'startedBy' | 'lastStatus' | 'createdAtMs' | 'stoppedAtMs'
>;
/** All others: they are most of an ended task's record and are rarely read. */
type Packed = Omit<TaskRecord, keyof Shown | 'schema'>;

/**
 * Packs the records of ended tasks, which stay visible for an hour: they take a quarter of the memory, so 100,000 of them
 * stay small. Stores common parts once and unpacks the rest on access.
 */
export class EndedTasks {
  readonly #texts = new Map<string, string>();
  #dictionary: Buffer | null = null;

  /** The same record, in less memory. Members are read as usual, but a copy by spreading lacks some. */
  pack(task: TaskRecord): TaskRecord {
    const { schema: _schema, id, cluster, definition, startedBy, lastStatus, createdAtMs, stoppedAtMs, ...rest } = task;
    const text = Buffer.from(JSON.stringify(rest satisfies Packed));
    const dictionary = (this.#dictionary ??= text); // the first one resembles all others
    const packed = deflateRawSync(text, { ...SMALL, dictionary }).toString('latin1');
    const shown = { id, cluster: this.#shared(cluster), definition, lastStatus, createdAtMs, stoppedAtMs };
    const by = startedBy === null ? null : this.#shared(startedBy);
    return new EndedTask({ ...shown, startedBy: by }, packed, dictionary);
  }

  /** Returns one string for equal texts. Not used for texts that differ in every task. */
  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= TEXTS_MAX) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

const TEXTS_MAX = 1_000;
/** A record has a few hundred bytes. zlib's default buffers, 256 KB per call, would cost more than the packing. */
const SMALL = { windowBits: 12, memLevel: 4 };

class EndedTask implements TaskRecord {
  readonly id: string;
  readonly cluster: string;
  readonly definition: TaskRecord['definition'];
  readonly startedBy: string | null;
  readonly lastStatus: TaskRecord['lastStatus'];
  readonly createdAtMs: number;
  readonly stoppedAtMs: number | null;
  readonly #packed: string;
  readonly #dictionary: Buffer;

  constructor(shown: Shown, packed: string, dictionary: Buffer) {
    this.id = shown.id;
    this.cluster = shown.cluster;
    this.definition = shown.definition;
    this.startedBy = shown.startedBy;
    this.lastStatus = shown.lastStatus;
    this.createdAtMs = shown.createdAtMs;
    this.stoppedAtMs = shown.stoppedAtMs;
    this.#packed = packed;
    this.#dictionary = dictionary;
  }

  get schema(): TaskRecord['schema'] {
    return 1;
  }

  get launch(): TaskRecord['launch'] {
    return this.#unpacked().launch;
  }

  get group(): TaskRecord['group'] {
    return this.#unpacked().group;
  }

  get capacityProvider(): TaskRecord['capacityProvider'] {
    return this.#unpacked().capacityProvider;
  }

  get cpu(): TaskRecord['cpu'] {
    return this.#unpacked().cpu;
  }

  get memory(): TaskRecord['memory'] {
    return this.#unpacked().memory;
  }

  get overrides(): TaskRecord['overrides'] {
    return this.#unpacked().overrides;
  }

  get tags(): TaskRecord['tags'] {
    return this.#unpacked().tags;
  }

  get subnetId(): TaskRecord['subnetId'] {
    return this.#unpacked().subnetId;
  }

  get privateIp(): TaskRecord['privateIp'] {
    return this.#unpacked().privateIp;
  }

  get version(): TaskRecord['version'] {
    return this.#unpacked().version;
  }

  get containers(): TaskRecord['containers'] {
    return this.#unpacked().containers;
  }

  get startedAtMs(): TaskRecord['startedAtMs'] {
    return this.#unpacked().startedAtMs;
  }

  get stop(): TaskRecord['stop'] {
    return this.#unpacked().stop;
  }

  #unpacked(): Packed {
    const text = inflateRawSync(Buffer.from(this.#packed, 'latin1'), { dictionary: this.#dictionary });
    return JSON.parse(text.toString()) as Packed;
  }
}
