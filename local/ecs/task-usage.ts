import { asJobUid } from '../../shared/domain/base/ids.ts';
import { parseGroup } from '../../shared/domain/task/task-group.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import type { PodPlace } from '../../shared/domain/task/container-usage.ts';
import type { ReadUsage } from '../../shared/ports/gathered/read-usage.ts';
import type { ContainerRun } from './driver/driver.ts';
import { writesFiles } from './driver/files-driver.ts';
import type { TaskEngine } from './task-engine.ts';
import type { TaskRecord } from './task-record.ts';

type Engine = Pick<TaskEngine, 'liveTasks'> & { readonly driver: Pick<TaskEngine['driver'], 'usage'> };

/** What the containers of Pods use: the engine knows which run, and its driver measures. null: it does not. */
export function taskUsage(engine: Engine): ReadUsage | null {
  const { usage } = engine.driver;
  if (usage === undefined) return null;
  return async () => {
    const runs = [...engine.liveTasks()].flatMap(({ task, definition }) => {
      const pod = podOf(task);
      return pod === null ? [] : running({ task, definition }).map((run) => ({ pod, run }));
    });
    const used = await usage(runs.map(({ run }) => run));
    return runs.flatMap(({ pod, run: { task, container } }, n) => {
      const found = used[n] ?? null;
      return found === null ? [] : [{ pod, taskId: task.id, container: container.name, ...found }];
    });
  };
}

/** What writes files is no program. */
const running = ({ task, definition }: Pick<ContainerRun, 'task'> & { readonly definition: DefinitionOf }) =>
  definition.containerDefinitions.flatMap((container): readonly ContainerRun[] =>
    !writesFiles(container) &&
    task.containers.some(({ name, status }) => name === container.name && status === 'running')
      ? [{ task, container, definition }]
      : [],
  );
type DefinitionOf = NonNullable<ContainerRun['definition']>;

function podOf({ startedBy, group }: TaskRecord): PodPlace | null {
  const attempt = parseGroup(GROUP_PREFIX, group);
  return startedBy === null || attempt === null
    ? null
    : { uid: asJobUid(startedBy), index: attempt.index, attempt: attempt.attempt };
}
