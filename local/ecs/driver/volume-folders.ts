import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseGroup } from '../../../shared/domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../../shared/names/env.ts';
import { escapeName } from '../../logs/stream-files.ts';
import { readOwn, writeWhole } from '../../whole-file.ts';
import type { TaskRecord } from '../task-record.ts';

/**
 * The folders of volumes: `<dir>/<owner>/volumes/<volume>`. The owner is a Pod, so that a container that is restarted, which
 * is a new task, finds what it had written (https://kubernetes.io/docs/concepts/storage/volumes/#emptydir); or a task that
 * belongs to no Pod. `<dir>/<owner>/task` names the task that used them last: with it they go.
 */
export class VolumeFolders {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Where a task's volumes are; from now on they stay as long as this task is remembered. */
  use(task: TaskRecord): string {
    const folder = join(this.#dir, this.owner(task));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeWhole(join(folder, 'task'), task.id, 'fast');
    return join(folder, 'volumes');
  }

  /** Removes the volumes that no later task of the same Pod has used; returns whether it did. */
  forget(task: TaskRecord): boolean {
    const folder = join(this.#dir, this.owner(task));
    if (lastTask(folder) !== task.id) return false;
    rmSync(folder, { recursive: true, force: true });
    return true;
  }

  /** Whose volumes a task uses, as the name of a folder. */
  owner({ id, startedBy, group }: TaskRecord): string {
    const attempt = startedBy === null ? null : parseGroup(GROUP_PREFIX, group);
    const pod = attempt === null ? null : `${startedBy}_${attempt.index}_${attempt.attempt}`;
    return escapeName(pod ?? id);
  }
}

function lastTask(folder: string): string | null {
  try {
    return readOwn(join(folder, 'task'));
  } catch {
    return null;
  }
}
