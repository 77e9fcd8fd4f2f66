import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../whole-file.ts';
import { AwsError } from '../wire/aws-error.ts';
import { DefinitionSchema, definitionProblem, type Definition, type DefinitionRequest } from './definition.ts';

/** All registered task definitions: revisions 1, 2, 3, … of each family, kept for ever, on disk if there is a folder. */
export class Definitions {
  readonly #families = new Map<string, Definition[]>();
  readonly #dir: string | null;

  /** Reads what `dir` (`<family>/<revision>.json`) holds; null keeps everything in memory. Throws on a file that is no definition. */
  constructor(dir: string | null) {
    this.#dir = dir;
    if (dir === null) return;
    mkdirSync(dir, { recursive: true });
    for (const family of readdirSync(dir)) {
      const files = readdirSync(join(dir, family)).filter((file) => file.endsWith('.json'));
      const revisions = files.map((file) =>
        DefinitionSchema.parse(JSON.parse(readFileSync(join(dir, family, file), 'utf8'))),
      );
      this.#families.set(
        family,
        revisions.sort((a, b) => a.revision - b.revision),
      );
    }
  }

  /** Adds a revision. Throws ClientException if the definition makes no sense. */
  register({ tags = [], ...request }: DefinitionRequest, nowMs: number): Definition {
    const problem = definitionProblem(request);
    if (problem !== null) throw new AwsError('ClientException', problem);
    const revisions = this.#families.get(request.family) ?? [];
    const definition: Definition = {
      ...request,
      tags,
      revision: (revisions.at(-1)?.revision ?? 0) + 1,
      registeredAtMs: nowMs,
    };
    if (this.#dir !== null) {
      mkdirSync(join(this.#dir, request.family), { recursive: true });
      writeWhole(join(this.#dir, request.family, `${definition.revision}.json`), JSON.stringify(definition));
    }
    this.#families.set(request.family, [...revisions, definition]);
    return definition;
  }

  /** By `family` (the latest), `family:revision` or either as an ARN; null if there is none. */
  find(name: string): Definition | null {
    const [, family = '', revision] =
      /^(?:arn:aws[\w-]*:ecs:[^:]*:[^:]*:task-definition\/)?([^:/]+)(?::(\d+))?$/.exec(name) ?? [];
    const revisions = this.#families.get(family);
    const found =
      revision === undefined
        ? revisions?.at(-1)
        : revisions?.find((candidate) => candidate.revision === Number(revision));
    return found ?? null;
  }

  /** The revision that a task record names. */
  get({ family, revision }: { readonly family: string; readonly revision: number }): Definition | null {
    return this.find(`${family}:${revision}`);
  }
}
