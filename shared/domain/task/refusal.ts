/** What is lacking where ECS refused a launch, or could not start the task that it had accepted, as far as its text says. */
export type RefusalCause =
  /** an account's limit: a request to AWS raises it, or tasks must end */
  | 'quota'
  /** Fargate (or a cluster's machines) has no capacity, or no disk */
  | 'capacity'
  /** no network interface or address in the subnets */
  | 'network'
  /** a permission, a role, a key, or a network of the installation: its operator has to mend it */
  | 'installation'
  /** too many calls */
  | 'throttled'
  /** the image's registry serves no more for now: Docker Hub counts the pulls of an address */
  | 'registry'
  /** a ConfigMap, a Secret, a key, or a bound claim that the Pod names: users make it */
  | 'sources'
  /** something else, which its text describes */
  | 'refused';

type Row = { readonly cause: RefusalCause; readonly text: RegExp };

/**
 * Texts of failures, exceptions, and stopped tasks: the developer guide's pages "API failure reasons", "TaskFailedToStart errors",
 * "ResourceInitializationError errors", and "CannotPullContainer task errors"; public threads for what they do not print. The first
 * matching row counts. Users choose names of images, secrets, and containers, which ECS repeats: so each alternative has a blank,
 * a mark that no name has, or stands at the beginning. ECS writes a typographic apostrophe ("You’ve reached the limit"), so only
 * words are matched.
 */
const TEXTS: readonly Row[] = [
  // The dispatcher's own words (domain/task/pod-sources.ts).
  { cause: 'sources', text: /^(CreateContainerConfigError|ErrImagePull|FailedMount|FailedScheduling): / },
  { cause: 'registry', text: /toomanyrequests: |pull rate limit|: 429 Too Many Requests/i },
  {
    // EC2's throttling is wrapped in sentences about subnets, that of Parameter Store in one about secrets.
    cause: 'throttled',
    text: /rate exceeded|request limit exceeded|Throttling(Exception)?: |ErrorCode: (Throttling|RequestLimitExceeded)|too many (requests|concurrent attempts)/i,
  },
  {
    // The registry or AWS has failed, or the connection to it was cut: this passes.
    cause: 'registry',
    text: /: 50[0234] (Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)|TLS handshake timeout|connection reset by peer|unexpected EOF/i,
  },
  {
    cause: 'installation',
    text: /^(AccessDenied|Unauthorized|Blocked|ClusterNotFound|OptInRequired|SubscriptionRequired)|AccessDenied(Exception)?: |not authorized to |access to KMS is not allowed|role is not valid|assume the |service.linked role|the (subnet|security group)s? .*(not exist|not found|invalid)|TaskDefinition (is inactive|not found)|account .*(blocked|suspended)|log group does not exist|cannot find the Amazon CloudWatch log group/i,
  },
  {
    // What a task needs at its start cannot be reached: no route, no endpoint, a security group.
    cause: 'installation',
    text: /connection issue between the task and |check your (task )?network configuration|dial tcp \S+: connect: |i\/o timeout|context deadline exceeded|request canceled while waiting for connection|send request failed/i,
  },
  {
    cause: 'quota',
    text: /reached the limit on the number of|reached the limit of |above your limit|vcpu limit|^(ServiceQuotaExceeded|LimitExceeded)|quota (has been |was )?exceeded/i,
  },
  {
    cause: 'network',
    text: /^(TaskFailedToStart: )?RESOURCE:(ENI|PORTS)|network interface|free (ip )?address|insufficient ?free ?address/i,
  },
  {
    cause: 'capacity',
    text: /capacity is unavailable|insufficient capacity|ephemeral ?storage provisioning|^(TaskFailedToStart: )?(RESOURCE:|AGENT\b|ATTRIBUTE\b|LOCATION\b)|unexpected ec2 error|^Internal ?(server )?error\b|: InternalError\b|(spawn|fork)\S*( \S+)? (EAGAIN|ENOMEM|EMFILE)|resource temporarily unavailable/i,
  },
];

/** Classifies the text of a refused launch, or of a task that could not start. */
export const refusalCause = (text: string): RefusalCause => rowOf(text)?.cause ?? 'refused';

/** Where in a text the words stand that decide its cause; null: none do. */
export function decidingWords(text: string): { readonly from: number; readonly to: number } | null {
  const match = rowOf(text)?.text.exec(text) ?? null;
  return match === null ? null : { from: match.index, to: match.index + match[0].length };
}

const rowOf = (text: string): Row | undefined => TEXTS.find(({ text: pattern }) => pattern.test(text));
