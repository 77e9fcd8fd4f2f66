import { buildApp } from 'fauxqs';
import { BACKLOG, guardDoor } from '../door/door.ts';
import { takeTurns } from '../door/turns.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';

export const QUEUES = ['wake', 'facts', 'dispatch', 'submit'] as const;
export type QueueName = (typeof QUEUES)[number];
type ByQueue<T> = Readonly<Record<QueueName, T>>;

export type QueueServer = {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly urls: ByQueue<string>;
  readonly arns: ByQueue<string>;
  readonly deadUrls: ByQueue<string>;
  /** Ends all calls, including long polls; queued messages are lost. */
  close(): Promise<void>;
};

export type QueueServerOptions = {
  readonly region: string;
  /** Calls that are not signed with this access key are refused. */
  readonly accessKey: string;
  /** The visibility timeout in seconds; not shorter than an invocation may take. */
  readonly visibilitySec: number;
};

/**
 * SQS on a free loopback port, in this process and in memory, with our queues and a dead-letter queue for each.
 * When the process ends, only hints are lost: its next start wakes and checks every open Job.
 */
export async function startQueueServer({ region, accessKey, visibilitySec }: QueueServerOptions): Promise<QueueServer> {
  const app = buildApp({ logger: false, defaultRegion: region });
  app.addHook('onRequest', (request, reply, done) => {
    if (isOurs(request.headers, accessKey)) return done();
    void reply.code(403).send({ __type: 'AccessDeniedException', message: 'not for you' });
  });
  takeTurns(app.server);
  guardDoor(app.server);
  // Not fauxqs's own starter, which listens on every address of the machine.
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG });

  const create = (name: string, attributes: Record<string, string>) =>
    createQueue(endpoint, { accessKey, region }, name, attributes);
  const queues = await Promise.all(
    QUEUES.map(async (name) => {
      const dead = await create(`muster-${name}-dead`, {});
      const redrive = { deadLetterTargetArn: dead.arn, maxReceiveCount: String(RECEIVES_MAX) };
      const queue = await create(`muster-${name}`, {
        VisibilityTimeout: String(visibilitySec),
        RedrivePolicy: JSON.stringify(redrive),
      });
      return { name, queue, dead };
    }),
  );
  const byQueue = (pick: (entry: (typeof queues)[number]) => string): ByQueue<string> =>
    Object.fromEntries(queues.map((entry) => [entry.name, pick(entry)])) as ByQueue<string>;
  return {
    endpoint,
    urls: byQueue(({ queue }) => queue.url),
    arns: byQueue(({ queue }) => queue.arn),
    deadUrls: byQueue(({ dead }) => dead.url),
    close: () => app.close(),
  };
}

/** Other users of the machine do not know the key, and a web page cannot send this header without a preflight request. */
function isOurs(headers: NodeJS.Dict<string | string[]>, accessKey: string): boolean {
  const { authorization, origin } = headers;
  return (
    origin === undefined && typeof authorization === 'string' && authorization.includes(`Credential=${accessKey}/`)
  );
}

async function createQueue(
  endpoint: string,
  { accessKey, region }: { readonly accessKey: string; readonly region: string },
  name: string,
  attributes: Record<string, string>,
): Promise<{ readonly url: string; readonly arn: string }> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.CreateQueue',
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/`,
    },
    body: JSON.stringify({ QueueName: name, Attributes: attributes }),
  });
  if (!response.ok) throw new Error(`the SQS emulator did not create ${name}: ${await response.text()}`);
  const { QueueUrl: url } = (await response.json()) as { QueueUrl: string };
  return { url, arn: `arn:aws:sqs:${region}:${ACCOUNT}:${name}` };
}

/** The account in every ARN of fauxqs. */
const ACCOUNT = '000000000000';
