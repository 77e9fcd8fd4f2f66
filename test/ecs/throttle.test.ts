import { expect, test } from 'vitest';
import { AWS_LIMITS, Throttle, take } from '../../local/ecs/throttle.ts';

test('a bucket pays its burst at once, then its rate', () => {
  const rate = { burst: 20, perSec: 20 };
  let bucket;
  const paid = [];
  for (let atMs = 0; atMs < 3_000; atMs += 10) {
    const taken = take(bucket, rate, atMs);
    bucket = taken.bucket;
    if (taken.paid) paid.push(atMs);
  }
  expect(paid.filter((atMs) => atMs < 1_000)).toHaveLength(20 + 19);
  expect(paid.filter((atMs) => atMs >= 1_000 && atMs < 2_000)).toHaveLength(20);
  expect(paid.filter((atMs) => atMs >= 2_000)).toHaveLength(20);
});

test('a bucket that cannot pay keeps what it has, is never more than full, and a clock set back gives nothing', () => {
  const rate = { burst: 10, perSec: 1 };
  const { bucket } = take(undefined, rate, 5_000, 7);
  expect(bucket).toEqual({ tokens: 3, atMs: 5_000 });
  expect(take(bucket, rate, 5_000, 4)).toEqual({ bucket: { tokens: 3, atMs: 5_000 }, paid: false });
  expect(take(bucket, rate, 1_000, 3)).toEqual({ bucket: { tokens: 0, atMs: 5_000 }, paid: true });
  expect(take(bucket, rate, 500_000, 1).bucket.tokens).toBe(9);
});

test('a call that draws on several buckets pays all or none', () => {
  const throttle = new Throttle({ clusterModify: { burst: 5, perSec: 0 }, fargateRunTask: { burst: 1, perSec: 0 } });
  expect(throttle.allows({ clusterModify: 1, fargateRunTask: 1 }, 0)).toBe(true);
  for (let n = 0; n < 10; n++) expect(throttle.allows({ clusterModify: 1, fargateRunTask: 1 }, 0)).toBe(false);
  const stops = Array.from({ length: 6 }, () => throttle.allows({ clusterModify: 1 }, 0));
  expect(stops).toEqual([true, true, true, true, false, false]);
});

test("by AWS's own numbers RunTask stops at Fargate's 20 a second, StopTask at ECS's 40", () => {
  const runs = new Throttle(AWS_LIMITS);
  const stops = new Throttle(AWS_LIMITS);
  let [started, stopped] = [0, 0];
  for (let atMs = 0; atMs < 10_000; atMs += 5) {
    if (runs.allows({ clusterModify: 1, fargateRunTask: 1, launchOnDemand: 1 }, atMs)) started++;
    if (stops.allows({ clusterModify: 1 }, atMs)) stopped++;
  }
  expect([started, stopped]).toEqual([20 + 199, 100 + 399]);
});
