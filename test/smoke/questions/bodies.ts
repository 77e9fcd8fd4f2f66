import { jobsPath } from '../../../cli/client/kube-client.ts';
import { createJob, indexed, shellJob } from '../ground.ts';
import { type Question, verdict } from '../question.ts';

/** API Gateway renames some headers of answers; the proxy restores them. */
export const warnings: Question<readonly string[]> = {
  name: 'warning-header',
  asks: 'Does the header `Warning` of an answer arrive?',
  assumed: 'one that says that the second container is stopped with the first',
  observe: async (ground) =>
    createJob(
      ground,
      shellJob(ground, 'warning', 'exit 0', {
        ...indexed(1),
        suspend: true,
        pod: { containers: [{ name: 'second', image: ground.image, command: ['true'] }] },
      }),
    ),
  judge: (seen) => verdict([seen.some((text) => text.includes('containers'))], seen.join('; ') || 'none'),
};

type Answer = { readonly code: number; readonly text: string };

/** A binary body goes through the gateway as base64. */
export const protobuf: Question<Answer> = {
  name: 'protobuf-body',
  asks: 'Does a Job in protobuf arrive, as `kubectl create job` sends it?',
  assumed: '201, and the name that was sent',
  async observe({ client, namespace, image }) {
    const response = await fetch(`${client.target.server}${jobsPath(namespace)}?dryRun=All`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' },
      body: protobufJob('protobuf-body', image),
    });
    return { code: response.status, text: await response.text() };
  },
  judge: ({ code, text }) =>
    verdict([code === 201, text.includes('"name":"protobuf-body"')], `${code} ${code === 201 ? '' : text}`.trim()),
};

/** The gateway lets nobody in who does not sign. */
export const unsigned: Question<Answer> = {
  name: 'unsigned',
  asks: 'Is a request without a signature refused?',
  assumed: '403, by the gateway: it reaches no function',
  async observe({ apiUrl }) {
    const response = await fetch(`${apiUrl}/version`);
    return { code: response.status, text: await response.text() };
  },
  judge: ({ code, text }) => verdict([code === 403, !text.includes('gitVersion')], `${code} ${text}`),
};

/** A Job by the field numbers of Kubernetes' generated.proto: `metadata` 1, `spec` 2, its `template` 6. */
function protobufJob(name: string, image: string): Uint8Array<ArrayBuffer> {
  const container = [field(1, 'main'), field(2, image), field(3, 'true')];
  const podSpec = [field(2, container), field(3, 'Never')];
  const job = [field(1, [field(1, name)]), field(2, [field(6, [field(2, podSpec)])])];
  const unknown = [field(1, [field(1, 'batch/v1'), field(2, 'Job')]), field(2, job)];
  return new Uint8Array(Buffer.concat([Buffer.from('k8s\0'), ...unknown]));
}

/** A length-delimited field of a message. */
function field(number: number, value: string | readonly Buffer[]): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.concat(value);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 127; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes]);
}
