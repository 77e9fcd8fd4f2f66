import type { aWorld } from '../a-world.ts';

export type World = Awaited<ReturnType<typeof aWorld>>;
export type Answer = { readonly code: number; readonly body: Body; readonly warnings: readonly string[] };
type Body = {
  readonly kind: string;
  readonly message: string;
  readonly reason: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly managedFields?: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly time: string;
      readonly fieldsV1: object;
    }[];
  };
  readonly spec: Record<string, unknown>;
  readonly status: unknown;
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
};

export const JOBS = '/apis/batch/v1/namespaces/default/jobs';

/** A valid Job; `spec` and `metadata` add to it. */
export const job = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, ...metadata },
  spec: {
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } },
  },
});

/** One request with a JSON body. */
export async function send(
  { app }: World,
  method: string,
  path: string,
  body?: unknown,
  contentType = 'application/json',
): Promise<Answer> {
  const response = await app.request(path, {
    method,
    headers: { 'content-type': contentType, 'user-agent': 'tests/1.0 (linux)' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const warnings = response.headers.get('warning')?.split(', 299') ?? [];
  return { code: response.status, body: (await response.json()) as Body, warnings };
}

export const MERGE = 'application/merge-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const APPLY = 'application/apply-patch+yaml';
