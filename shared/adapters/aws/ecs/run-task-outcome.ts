import type { RunTaskCommandOutput } from '@aws-sdk/client-ecs';
import { asEpochMs } from '../../../domain/base/time.ts';
import { asTaskArn } from '../../../domain/base/ids.ts';
import type { Fatal, Later, Refused, Tasks } from '../../../ports/tasks.ts';

export type RunTaskOutcome = Awaited<ReturnType<Tasks['run']>>;

/**
 * What an answer of RunTask means. Failures come with HTTP 200: ECS then remembers them under the token, so that it must
 * not be used again. Throws for an answer with neither a task nor a failure, whose outcome is unknown.
 */
export function outcomeOfAnswer({ tasks = [], failures = [] }: RunAnswer): RunTaskOutcome {
  const [{ taskArn: arn, createdAt } = {}] = tasks;
  if (arn !== undefined)
    return {
      kind: 'launched',
      taskArn: asTaskArn(arn),
      createdAt: createdAt === undefined ? null : asEpochMs(createdAt.getTime()),
    };
  const [failure] = failures;
  if (failure === undefined) throw new Error('RunTask answered with neither a task nor a failure');
  const reason = [failure.reason, failure.detail].filter((text) => text !== undefined && text !== '').join(': ');
  return { kind: 'refused', reason: reason || 'ECS gave no reason' };
}
type RunAnswer = Pick<RunTaskCommandOutput, 'tasks' | 'failures'>;

/** What an exception of RunTask means. Throws it again if the outcome is unknown: 5xx, time-outs, sockets. */
export function outcomeOfRunError(error: unknown): RunTaskOutcome {
  const adopted = existingTask(error);
  if (adopted !== null) return { kind: 'launched', taskArn: asTaskArn(adopted), createdAt: null };
  const outcome = classify(error);
  // Not too many calls, but nothing to run the task on: as where ECS says the same in failures[], it is tried again after a while.
  if (outcome.kind === 'later')
    return SHORT_OF_SOMETHING.test(outcome.reason) && !THROTTLED.test(outcome.reason)
      ? { kind: 'refused', reason: outcome.reason }
      : outcome;
  return OF_THE_LAUNCH.test(outcome.reason) && !OF_THE_INSTALLATION.test(outcome.reason)
    ? outcome
    : { kind: 'refused', reason: outcome.reason, misconfigured: true };
}

/** What an exception of looking a task definition up, or registering it, means; throws it again as {@link outcomeOfRunError} does. */
export function outcomeOfPrepareError(error: unknown): Later | Refused | Fatal {
  const outcome = classify(error);
  if (outcome.kind === 'later') return outcome;
  return OF_THE_DEFINITION.test(outcome.reason) && !OF_THE_INSTALLATION.test(outcome.reason)
    ? outcome
    : { kind: 'refused', reason: outcome.reason, misconfigured: true };
}

/**
 * Refusals that say nothing about what the Job asks for, by name or text: rights, roles (IAM needs seconds to know a new
 * one), the account, the network. They pass when an operator has mended them, so they must not end a Job.
 */
const OF_THE_INSTALLATION =
  /^(AccessDenied|Unauthorized|Blocked|ClusterNotFound|ServiceQuotaExceeded|OptInRequired|SubscriptionRequired)|not authorized|role is not valid|assume the (service.linked )?role|service.linked role|security ?group|subnet|quota|account .*(blocked|suspended)/i;

/** What a RunTask says about the task that is wanted. All else that it refuses is the installation's. */
const OF_THE_LAUNCH =
  /^(PlatformTaskDefinitionIncompatibility|PlatformUnknown|UnsupportedFeature)|override|fargate (only|requires)|no fargate configuration|not support launch/i;

/** What is registered comes from the Pod template, but for two roles. */
const OF_THE_DEFINITION =
  /^(ClientException|InvalidParameterException|ValidationException|PlatformUnknown|UnsupportedFeature)/;

/**
 * Sorts an exception of ECS by its message as well as its class, for ECS wraps EC2's throttling in
 * InvalidParameterException. Throws it again where it cannot be known what was done.
 */
export function classify(error: unknown): Later | Fatal {
  if (!(error instanceof Error)) throw error;
  if ('$fault' in error && error.$fault === 'server') throw error;
  const reason = `${error.name}: ${error.message}`;
  if (THROTTLED.test(error.name) || THROTTLED.test(error.message) || SHORT_OF_SOMETHING.test(error.message)) {
    return { kind: 'later', reason };
  }
  if (UNPROVEN.test(error.name)) return { kind: 'later', reason };
  if (isClientFault(error)) return { kind: 'fatal', reason };
  throw error;
}

const THROTTLED =
  /Rate exceeded|Request limit exceeded|Throttl|RequestLimitExceeded|TooManyRequests|LimitExceeded|Too many concurrent attempts/i;

/** Quotas and capacity. ECS's text has a typographic apostrophe, so that only words are matched. */
const SHORT_OF_SOMETHING = /reached the limit on the number of (tasks|vCPUs)|Capacity is unavailable|PROVISIONING/i;

/** Keys that have just expired or a clock that is off: nothing was done, and it says nothing about the Job. */
const UNPROVEN =
  /^(ExpiredToken(Exception)?|UnrecognizedClientException|InvalidSignatureException|IncompleteSignature(Exception)?|RequestExpired|MissingAuthenticationToken(Exception)?|CredentialsProviderError)$/;

/** A 4xx says that nothing was done, but for a request that has timed out on its way in. */
const isClientFault = (error: Error): boolean =>
  '$fault' in error && error.$fault === 'client' && !error.name.startsWith('RequestTimeout');

function existingTask(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'ConflictException') return null;
  const ids = 'resourceIds' in error && Array.isArray(error.resourceIds) ? (error.resourceIds as unknown[]) : [];
  const first = ids.find((id) => typeof id === 'string');
  // Nothing to adopt: a task may exist or not, so it has to be looked up.
  if (first === undefined) throw error;
  return first as string;
}
