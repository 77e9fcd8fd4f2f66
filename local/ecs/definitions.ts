import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readOwn, setAside, writeWhole } from '../whole-file.ts';
import { AwsError } from '../wire/aws-error.ts';
import { DefinitionSchema, definitionProblem, type Definition, type DefinitionRequest } from './definition.ts';

/** `last`: the highest number assigned, which may belong to a torn file. */
type Family = { readonly revisions: readonly Definition[]; readonly last: number };

/**
 * All registered task definitions: revisions 1, 2, 3, … of each family, kept forever, also those that were deregistered, on disk
 * if there is a folder.
 */
export class Definitions {
  readonly #families = new Map<string, Family>();
  readonly #dir: string | null;

  /**
   * Reads the contents of `dir` (`<family>/<revision>.json`); null keeps everything in memory. Moves aside a file that is
   * not a definition (torn when the machine crashed), calls `warn`, and does not assign its number again.
   */
  constructor(dir: string | null, warn: (message: string) => void = () => undefined) {
    this.#dir = dir;
    if (dir === null) return;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const family of readdirSync(dir)) {
      const numbers = new Map(
        readdirSync(join(dir, family)).flatMap((file) => {
          const [, number, ending = ''] = /^(\d+)\.json(\.torn)?$/.exec(file) ?? [];
          return number === undefined ? [] : [[Number(number), ending === '' ? file : null] as const];
        }),
      );
      const revisions = [...numbers.values()].flatMap((file) =>
        file === null ? [] : (readDefinition(join(dir, family, file), warn) ?? []),
      );
      this.#families.set(family, {
        revisions: revisions.sort((a, b) => a.revision - b.revision),
        last: Math.max(0, ...numbers.keys()),
      });
    }
  }

  /** Adds a revision. Throws ClientException if the definition is invalid. */
  register({ tags = [], ...request }: DefinitionRequest, nowMs: number): Definition {
    const problem = definitionProblem(request);
    if (problem !== null) throw new AwsError('ClientException', problem);
    const { revisions, last } = this.#families.get(request.family) ?? NONE;
    const definition: Definition = {
      ...request,
      tags,
      revision: last + 1,
      registeredAtMs: nowMs,
    };
    this.#store(definition);
    this.#families.set(request.family, { revisions: [...revisions, definition], last: definition.revision });
    return definition;
  }

  /** Makes a revision INACTIVE: it is found by its number alone. */
  deregister(definition: Definition, nowMs: number): Definition {
    const { family, revision } = definition;
    const { revisions, last } = this.#families.get(family) ?? NONE;
    const inactive = { ...definition, deregisteredAtMs: definition.deregisteredAtMs ?? nowMs };
    this.#store(inactive);
    this.#families.set(family, {
      revisions: revisions.map((each) => (each.revision === revision ? inactive : each)),
      last,
    });
    return inactive;
  }

  /** Families with a revision that is ACTIVE, in order of their names. */
  activeFamilies(): readonly string[] {
    return [...this.#families]
      .filter(([, { revisions }]) => revisions.some(isActive))
      .map(([family]) => family)
      .sort();
  }

  #store(definition: Definition): void {
    if (this.#dir === null) return;
    mkdirSync(join(this.#dir, definition.family), { recursive: true, mode: 0o700 });
    const file = join(this.#dir, definition.family, `${definition.revision}.json`);
    writeWhole(file, JSON.stringify(definition), 'durable');
  }

  /** Finds by `family` (the latest that is ACTIVE), `family:revision`, or either as an ARN; null if there is none. */
  find(name: string): Definition | null {
    const [, family = '', revision] =
      /^(?:arn:aws[\w-]*:ecs:[^:]*:[^:]*:task-definition\/)?([^:/]+)(?::(\d+))?$/.exec(name) ?? [];
    const { revisions } = this.#families.get(family) ?? NONE;
    const found =
      revision === undefined
        ? revisions.findLast(isActive)
        : revisions.find((candidate) => candidate.revision === Number(revision));
    return found ?? null;
  }

  /** The revision that a task record names. */
  get({ family, revision }: { readonly family: string; readonly revision: number }): Definition | null {
    return this.find(`${family}:${revision}`);
  }
}

export const isActive = ({ deregisteredAtMs }: Definition): boolean => deregisteredAtMs === undefined;

const NONE: Family = { revisions: [], last: 0 };

/** null if it is not a definition; the file was then moved aside. */
function readDefinition(path: string, warn: (message: string) => void): Definition | null {
  try {
    return DefinitionSchema.parse(JSON.parse(readOwn(path)));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
    warn(
      `${path} is torn: Jobs that use it cannot start tasks; delete them and create them again. ` +
        `The file is now ${setAside(path)}`,
    );
    return null;
  }
}
