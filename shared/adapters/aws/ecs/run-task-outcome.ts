import type { RunTaskCommandOutput } from '@aws-sdk/client-ecs';
import { asEpochMs } from '../../../domain/base/time.ts';
import { asTaskArn } from '../../../domain/base/ids.ts';
import { refusalCause } from '../../../domain/task/refusal.ts';
import type { Fatal, Later, Refused, Tasks } from '../../../ports/tasks.ts';

export type RunTaskOutcome = Awaited<ReturnType<Tasks['run']>>;

/**
 * The outcome of a RunTask answer. Failures come with HTTP 200, and ECS remembers them under the token, so the token
 * must not be used again. Throws if the answer has neither a task nor a failure: the outcome is unknown.
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

/** The outcome of a RunTask exception. Rethrows it if the outcome is unknown: 5xx, time-outs, sockets. */
export function outcomeOfRunError(error: unknown): RunTaskOutcome {
  const adopted = existingTask(error);
  if (adopted !== null) return { kind: 'launched', taskArn: asTaskArn(adopted), createdAt: null };
  const outcome = classify(error);
  // Not a throttle: ECS has no capacity. Retried after a while, as when ECS reports the same in failures[].
  if (outcome.kind === 'later')
    return SHORT_OF_SOMETHING.test(outcome.reason) && !isThrottled(error)
      ? { kind: 'refused', reason: outcome.reason }
      : outcome;
  if (DEREGISTERED.test(outcome.reason))
    return { kind: 'refused', reason: outcome.reason, misconfigured: true, deregistered: true };
  return OF_THE_LAUNCH.test(outcome.reason) && refusalCause(outcome.reason) === 'refused'
    ? outcome
    : { kind: 'refused', reason: outcome.reason, misconfigured: true };
}

/** ECS, of a task definition that is INACTIVE: `InvalidParameterException: TaskDefinition is inactive`. */
const DEREGISTERED = /task ?definition is inactive/i;

/**
 * The outcome of an exception while a task definition is looked up or registered. Rethrows as {@link outcomeOfRunError}
 * does.
 */
export function outcomeOfPrepareError(error: unknown): Later | Refused | Fatal {
  const outcome = classify(error);
  if (outcome.kind === 'later') return outcome;
  // By its class first: the message may repeat what the Pod template says.
  return OF_THE_DEFINITION.test(outcome.reason) && !OF_THE_OPERATOR.test(outcome.reason)
    ? outcome
    : { kind: 'refused', reason: outcome.reason, misconfigured: true };
}

/** RunTask refusals that are about the requested task. All others are about the installation. */
const OF_THE_LAUNCH =
  /^(PlatformTaskDefinitionIncompatibility|PlatformUnknown|UnsupportedFeature)|override|fargate (only|requires)|no fargate configuration|not support launch/i;

/** Everything in a registration except two roles comes from the Pod template. */
const OF_THE_DEFINITION =
  /^(ClientException|InvalidParameterException|ValidationException|PlatformUnknown|UnsupportedFeature)/;

/** IAM takes seconds to recognize a new role. An operator can fix all of these, so they must not end a Job. */
const OF_THE_OPERATOR =
  /role is not valid|assume the (service.linked )?role|service.linked role|is not authorized to perform|account (is|has been) (currently )?(blocked|suspended)/i;

/**
 * Classifies an ECS exception by its class and its message, because ECS wraps EC2's throttling in
 * InvalidParameterException. Rethrows it if the outcome is unknown.
 */
export function classify(error: unknown): Later | Fatal {
  if (!(error instanceof Error)) throw error;
  if ('$fault' in error && error.$fault === 'server') throw error;
  const reason = `${error.name}: ${error.message}`;
  if (isThrottled(error) || SHORT_OF_SOMETHING.test(error.message)) return { kind: 'later', reason };
  if (UNPROVEN.test(error.name)) return { kind: 'later', reason };
  if (isClientFault(error)) return { kind: 'fatal', reason };
  throw error;
}

const isThrottled = (error: unknown): boolean =>
  error instanceof Error && (THROTTLES.test(error.name) || refusalCause(error.message) === 'throttled');

const THROTTLES = /Throttl|RequestLimitExceeded|TooManyRequests|LimitExceeded/;

/** Quotas and capacity. ECS's text has a typographic apostrophe, so only words are matched. */
const SHORT_OF_SOMETHING =
  /reached the limit on the number of (tasks|vCPUs)|Capacity is unavailable|limit of PROVISIONING tasks/i;

/** Credentials that have just expired, or a wrong clock: nothing was done, and it is not about the Job. */
const UNPROVEN =
  /^(ExpiredToken(Exception)?|UnrecognizedClientException|InvalidSignatureException|IncompleteSignature(Exception)?|RequestExpired|MissingAuthenticationToken(Exception)?|CredentialsProviderError)$/;

/** A 4xx means that nothing was done, unless the request timed out on its way in. */
const isClientFault = (error: Error): boolean =>
  '$fault' in error && error.$fault === 'client' && !error.name.startsWith('RequestTimeout');

function existingTask(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'ConflictException') return null;
  const ids = 'resourceIds' in error && Array.isArray(error.resourceIds) ? (error.resourceIds as unknown[]) : [];
  const first = ids.find((id) => typeof id === 'string');
  // There is no task to adopt. One may exist, so the caller must look it up.
  if (first === undefined) throw error;
  return first as string;
}
