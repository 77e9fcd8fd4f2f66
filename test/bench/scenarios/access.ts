import { createStsTokenVerifier } from '../../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { authorizerHandler } from '../../../shared/runtime/authorizer-handler.ts';
import { API_ID, CLUSTER, NOW_MS, REGION, aToken } from '../../token/a-token.ts';
import { ACCOUNT, KIM, fakeSts } from '../../token/fake-sts.ts';
import { quantile } from '../quantiles.ts';
import { type BenchRuntime, startBench } from './bench-runtime.ts';

export type AccessFigures = {
  readonly requests: number;
  /** A GET of a Job: everybody may do everything; a token is asked for, and roles decide. By turns, in one process. */
  readonly open: Latency;
  readonly guarded: Latency;
  /** What such a GET reads, with what the process looks at for all of them. */
  readonly openReadUnits: number;
  readonly guardedReadUnits: number;
  /** An hour of one client that asks every ten seconds: what API Gateway invokes, and what the authorizer asks STS. */
  readonly invocations: number;
  readonly stsCalls: number;
};

type Latency = { readonly p50Ms: number; readonly p99Ms: number };

const OPS = { token: 'token-of-ops', username: 'ops', uid: '1', groups: ['system:masters', 'system:authenticated'] };
const READER = { token: 'token-of-kim', username: 'kim', uid: '2', groups: ['system:authenticated'] };
const NAMESPACE = '/apis/batch/v1/namespaces/default';
const JOB = `${NAMESPACE}/jobs/warm-up`;

/** What it costs that callers send tokens, and that roles decide. */
export async function access({ requests }: { readonly requests: number }): Promise<AccessFigures> {
  const [open, guarded] = [await startBench(), await startBench({ users: [OPS, READER] })];
  try {
    await guarded.post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'kim-views' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: READER.username }],
    });
    const warm = Math.ceil(requests / 5);
    await byTurns([open, guarded], warm);
    const [openMs = [], guardedMs = []] = await byTurns([open, guarded], requests);
    return {
      requests,
      open: latencyOf(openMs),
      guarded: latencyOf(guardedMs),
      openReadUnits: await readUnits(open, requests),
      guardedReadUnits: await readUnits(guarded, requests),
      ...(await anHour()),
    };
  } finally {
    await Promise.all([open.stop(), guarded.stop()]);
  }
}

async function get({ url }: BenchRuntime): Promise<void> {
  const response = await fetch(`${url}${JOB}`, { headers: { authorization: `Bearer ${READER.token}` } });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

/** The milliseconds of each GET, by runtime. */
async function byTurns(runtimes: readonly BenchRuntime[], count: number): Promise<readonly (readonly number[])[]> {
  const took = runtimes.map((): number[] => []);
  for (let n = 0; n < count; n++) {
    for (const [i, runtime] of runtimes.entries()) {
      const startedAt = performance.now();
      await get(runtime);
      took[i]?.push(performance.now() - startedAt);
    }
  }
  return took;
}

const latencyOf = (took: readonly number[]): Latency => ({ p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) });

async function readUnits(bench: BenchRuntime, requests: number): Promise<number> {
  const used = await bench.measure(async () => {
    for (let n = 0; n < requests; n++) await get(bench);
  });
  return used.readUnits / requests;
}

const HOUR_SEC = 3_600;
const ASKS_EVERY_SEC = 10;
/** `muster token` tells its client to use a token for so long. */
const TOKEN_SEC = 14 * 60;
/** For so long API Gateway keeps what the authorizer says of a token. */
const KEPT_SEC = 300;

/** The real authorizer, in a time of its own. */
async function anHour(): Promise<Pick<AccessFigures, 'invocations' | 'stsCalls'>> {
  let nowMs = NOW_MS;
  const sts = fakeSts({ nowMs: () => nowMs });
  const verify = createStsTokenVerifier({
    region: REGION,
    clusterId: CLUSTER,
    admission: { accounts: [ACCOUNT], admins: [] },
    now: () => nowMs,
    send: sts.send,
  });
  const handler = authorizerHandler(() => ({ verify, telemetry: { begin: () => undefined, warn: () => undefined } }));
  let invocations = 0;
  let [token, signedAt, keptUntil] = ['', Number.NEGATIVE_INFINITY, 0];
  for (let sec = 0; sec < HOUR_SEC; sec += ASKS_EVERY_SEC) {
    nowMs = NOW_MS + sec * 1_000;
    if (sec >= signedAt + TOKEN_SEC) [token, signedAt, keptUntil] = [await aToken(KIM, { nowMs }), sec, 0];
    if (sec < keptUntil) continue;
    const methodArn = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${API_ID}/k8s/GET${JOB}`;
    await handler({ methodArn, multiValueHeaders: { authorization: [`Bearer ${token}`] } });
    invocations++;
    keptUntil = sec + KEPT_SEC;
  }
  return { invocations, stsCalls: sts.sent.length };
}
