import * as z from 'zod';
import { int32, int64, opt, text, texts } from '../object/json-fields.ts';

/** A number, or the name of one of the container's ports. */
const port = opt(z.union([z.int32(), z.string()]));

/** How the kubelet asks a container whether it has started, lives, or is ready: exactly one of the first four is set. */
export const probeShape = z.strictObject({
  exec: opt(z.strictObject({ command: texts })),
  httpGet: opt(
    z.strictObject({
      path: text,
      port,
      host: text,
      scheme: text,
      httpHeaders: opt(z.array(z.strictObject({ name: text, value: text }))),
    }),
  ),
  tcpSocket: opt(z.strictObject({ port, host: text })),
  grpc: opt(z.strictObject({ port: int32, service: text })),
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: int64,
});

export type ProbeShape = z.output<typeof probeShape>;
