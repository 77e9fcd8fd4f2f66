import { SessionError, type SessionTarget, type TaskSessions } from '../container-sessions.ts';
import type { ContainerRun } from './driver/driver.ts';
import { writesFiles } from './driver/files-driver.ts';
import type { TaskEngine } from './task-engine.ts';

type Engine = Pick<TaskEngine, 'findLive'> & { readonly driver: Pick<TaskEngine['driver'], 'sessions'> };

/** Sessions with the containers of an engine's tasks: it knows which run, and its driver does the rest. */
export function taskSessions(engine: Engine): TaskSessions {
  const refusal: TaskSessions['refusal'] = ({ taskId, container }) => {
    if (engine.driver.sessions === undefined) return 'tasks are simulated here: there is no program to connect to';
    const task = engine.findLive(taskId)?.task;
    if (task === undefined) return 'its task has ended';
    const found = task.containers.filter(({ name }) => container === null || name === container);
    return found.some(({ status }) => status === 'running') ? null : notFound(container ?? 'any');
  };
  const runOf = (target: SessionTarget): ContainerRun => {
    const why = refusal(target);
    if (why !== null) throw new SessionError(why);
    const live = engine.findLive(target.taskId);
    const container = live?.definition.containerDefinitions.find(({ name }) => name === target.container);
    if (live === null || container === undefined || writesFiles(container))
      throw new SessionError(notFound(target.container));
    return { task: live.task, container, definition: live.definition };
  };
  const driven = () => {
    const { sessions } = engine.driver;
    if (sessions === undefined) throw new SessionError('there are no sessions here');
    return sessions;
  };
  return {
    refusal,
    exec: async (target, request) => driven().exec(runOf(target), request),
    attach: async (target, request) => driven().attach(runOf(target), request),
    async connect(taskId, port) {
      const running = engine.findLive(taskId)?.task.containers.find(({ status }) => status === 'running');
      return driven().connect(runOf({ taskId, container: running?.name ?? 'any' }), port);
    },
  };
}

/** The kubelet's words. */
const notFound = (container: string): string => `container not found (${JSON.stringify(container)})`;
