import type { ListTasksCommandInput, TaskDefinition as Registered } from '@aws-sdk/client-ecs';
import type { EpochMs } from '../../../domain/base/time.ts';
import { asTaskArn } from '../../../domain/base/ids.ts';
import { WAITING } from '../../../domain/task/pod-sources.ts';
import type { TaskDefinition, TaskView } from '../../../domain/task/task.ts';
import { GROUP_PREFIX } from '../../../names/env.ts';
import type { Fatal, Later, Tasks } from '../../../ports/tasks.ts';
import { parseTask } from '../../../schema/messages/ecs-task.ts';
import type { EcsCalls } from './ecs-calls.ts';
import { type Placement, type RunTaskOptions, formatPlacement, runTaskInput } from './run-task-request.ts';
import { classify, outcomeOfAnswer, outcomeOfPrepareError, outcomeOfRunError } from './run-task-outcome.ts';
import { type DefinitionSettings, mainFirst, registerInput, stillFits, taskRoleOf } from './task-definition-request.ts';

/** ECS's limit for a StopTask reason. */
const REASON_MAX_CHARS = 255;
/** Each is looked at: ECS allows 50 reads of task definitions at once, and 20 a second (aws.md 1.4). */
const FAMILIES_PER_PAGE = 40;

export type EcsTasksOptions = RunTaskOptions & {
  readonly calls: EcsCalls;
  readonly placement: Placement;
  readonly definitions: DefinitionSettings;
  /** With it ECS makes volumes of EBS; null: this installation has none. Omitted: this ECS makes disks of its own. */
  readonly volumeRoleArn?: string | null;
  /** The role that a stored ServiceAccount names; null: none. Omitted: none does. */
  readonly namedRoleOf?: (account: NonNullable<TaskDefinition['serviceAccount']>) => Promise<string | null>;
};

/** {@link Tasks} on ECS with Fargate. */
export function createEcsTasks({
  calls,
  placement,
  definitions,
  namedRoleOf,
  tellsRequests = false,
  volumeRoleArn,
}: EcsTasksOptions): Tasks {
  const { cluster } = placement;
  const list = async (filter: Omit<ListTasksCommandInput, 'cluster' | 'nextToken'>, after: string | null) => {
    try {
      const answer = await calls.listTasks({ cluster, ...filter, ...(after === null ? {} : { nextToken: after }) });
      const taskArns = (answer.taskArns ?? []).map(asTaskArn);
      return { kind: 'listed', taskArns, next: answer.nextToken ?? null } as const;
    } catch (error) {
      return laterOrThrow(classify(error), error);
    }
  };
  return {
    async prepare(definition) {
      const { serviceAccount } = definition;
      const named = serviceAccount === null ? null : ((await namedRoleOf?.(serviceAccount)) ?? null);
      const role = taskRoleOf(definition, definitions, named);
      if (role.kind === 'unknown') return { kind: 'fatal', reason: role.reason };
      const wanted = registerInput(definition, definitions, role.arn);
      const fault = definitionFault(wanted, definition, volumeRoleArn);
      if (fault !== null) return { kind: 'refused', reason: fault };
      const { attached } = definition;
      const roleArn = volumeRoleArn ?? null;
      const volume = attached === undefined || roleArn === null ? null : { ...attached, roleArn };
      try {
        const found = await activeDefinition(calls, definition.family);
        const fits = found !== null && stillFits(found, wanted);
        const { taskDefinitionArn: arn } = fits ? found : await register(calls, wanted);
        if (arn === undefined) throw new Error(`ECS gave no ARN for ${definition.family}`);
        const containers = mainFirst(definition.containers);
        return {
          kind: 'ready',
          template: { taskDefinition: arn, containers, placement: formatPlacement(placement, volume) },
        };
      } catch (error) {
        return outcomeOfPrepareError(error);
      }
    },

    async run(launch) {
      const input = runTaskInput(launch, { tellsRequests });
      let answer;
      try {
        answer = await calls.runTask(input);
      } catch (error) {
        return outcomeOfRunError(error);
      }
      return outcomeOfAnswer(answer);
    },

    async stop(task, reason) {
      try {
        await calls.stopTask({ cluster, task, reason: reason.slice(0, REASON_MAX_CHARS) });
        return { kind: 'asked' };
      } catch (error) {
        if (saysNotFound(error)) return { kind: 'asked' };
        return laterOrThrow(classify(error), error);
      }
    },

    async describe(taskArns) {
      if (taskArns.length === 0) return { kind: 'described', tasks: [], missing: [] };
      try {
        const answer = await calls.describeTasks({ cluster, tasks: [...taskArns] });
        const missing = (answer.failures ?? []).flatMap(({ arn, reason }) =>
          reason === 'MISSING' && arn !== undefined ? [asTaskArn(arn)] : [],
        );
        return { kind: 'described', tasks: (answer.tasks ?? []).flatMap(ours), missing };
      } catch (error) {
        return laterOrThrow(classify(error), error);
      }
    },

    async listLive({ job, after }) {
      // ECS accepts `startedBy` only without other filters, and then lists tasks with the desired status RUNNING, its
      // default.
      return list(job === null ? { desiredStatus: 'RUNNING' } : { startedBy: job }, after);
    },

    async listStopped({ family, after }) {
      return list({ family, desiredStatus: 'STOPPED' }, after);
    },

    async listOldFamilies({ prefix, before, after }) {
      try {
        const answer = await calls.listTaskDefinitionFamilies({
          familyPrefix: prefix,
          status: 'ACTIVE',
          maxResults: FAMILIES_PER_PAGE,
          ...(after === null ? {} : { nextToken: after }),
        });
        const families: string[] = [];
        // One after the other: half of the calls that ECS allows at once for a whole account.
        for (const family of answer.families ?? [])
          if (isOldAndOurs(await activeDefinition(calls, family), before, definitions)) families.push(family);
        return { kind: 'listed', families, next: answer.nextToken ?? null };
      } catch (error) {
        return laterOrThrow(classify(error), error);
      }
    },

    async deregister({ family, before }) {
      try {
        const newest = await activeDefinition(calls, family);
        if (newest?.taskDefinitionArn === undefined || !isOldAndOurs(newest, before, definitions))
          return { kind: 'kept' };
        const { taskArns = [] } = await calls.listTasks({ cluster, family, desiredStatus: 'RUNNING' });
        if (taskArns.length > 0) return { kind: 'kept' };
        await calls.deregisterTaskDefinition({ taskDefinition: newest.taskDefinitionArn });
        return { kind: 'deregistered' };
      } catch (error) {
        return laterOrThrow(classify(error), error);
      }
    },
  };
}

/** ECS's limit for a task definition, in bytes (ECS service quotas). */
const DEFINITION_BYTES_MAX = 65_536;

/** What keeps a definition from being registered here; null: nothing. What of it is content of ConfigMaps is known only now. */
function definitionFault(
  wanted: ReturnType<typeof registerInput>,
  { files = [], attached }: TaskDefinition,
  volumeRoleArn: string | null | undefined,
): string | null {
  if (attached !== undefined && volumeRoleArn === null)
    return `${WAITING.volume}: volume "${attached.volume}" is to be of EBS, and this installation makes none: deploy it with -c ebs=true`;
  const bytes = new TextEncoder().encode(JSON.stringify(wanted)).length;
  if (bytes <= DEFINITION_BYTES_MAX) return null;
  const what = files.length === 0 ? 'its variables' : 'its variables and files';
  return `${WAITING.variable}: ${what} make a task definition of ${bytes} bytes, and ECS allows ${DEFINITION_BYTES_MAX}: keep what is large on a file system, or in the image`;
}

/** The family's newest active revision. */
async function activeDefinition(calls: EcsCalls, family: string): Promise<Registered | null> {
  try {
    const { taskDefinition } = await calls.describeTaskDefinition({ taskDefinition: family });
    return taskDefinition ?? null;
  } catch (error) {
    if (error instanceof Error && /unable to describe task definition/i.test(error.message)) return null;
    throw error;
  }
}

/** Another installation in the account may have the same templates, but has another execution role. */
const isOldAndOurs = (found: Registered | null, before: EpochMs, { executionRoleArn }: DefinitionSettings): boolean =>
  found?.status === 'ACTIVE' &&
  found.executionRoleArn === executionRoleArn &&
  found.registeredAt !== undefined &&
  found.registeredAt.getTime() < before;

async function register(calls: EcsCalls, input: ReturnType<typeof registerInput>): Promise<Registered> {
  const { taskDefinition } = await calls.registerTaskDefinition(input);
  return taskDefinition ?? {};
}

/** Skips tasks that Muster did not start, and tasks in a form that we cannot read. */
function ours(raw: unknown): TaskView[] {
  try {
    const view = parseTask(raw, GROUP_PREFIX);
    return view === null ? [] : [view];
  } catch {
    return [];
  }
}

const saysNotFound = (error: unknown): boolean =>
  error instanceof Error && /(task was|task is|task) not found/i.test(error.message);

/** For calls without a fatal outcome: a refusal that no retry can fix is unexpected, so it is thrown. */
function laterOrThrow(outcome: Later | Fatal, error: unknown): Later {
  if (outcome.kind === 'later') return outcome;
  throw error;
}
