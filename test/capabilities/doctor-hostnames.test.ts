import { expect, test } from 'vitest';
import { createDoctor } from '../../shared/capabilities/doctor/control/create-doctor.ts';
import { MINUTE_MS, examiner, find, short, work } from '../../shared/capabilities/doctor/test/examined-job.ts';
import { createMemoryHostnames } from '../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import { Stage } from '../support/a-stage.ts';
import { NO_LOGS } from '../support/no-logs.ts';

/** The template with names for the Job's Pods. */
const subdomainOf = (spec: StoredSpec | null) => {
  const { template } = spec!.manifest.spec;
  return { template: { ...template, spec: { ...template.spec, subdomain: 'workers' } } };
};

test('a Job with names that do not resolve to the right task, or that remain after its end', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: 30 * MINUTE_MS };
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  await stage.change(uid, subdomainOf(await stage.store.jobs.readSpec(uid)));
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  const task = (index: number, attempt: number) => ({
    attempt,
    nonce: 0,
    taskArn: stage.live(uid, index)[0]!.arn,
    ip: '10.0.0.1',
    calledAt: null,
    registered: true,
  });
  const host = (index: number, attempt: number) => ({ index, serviceId: 's', tasks: [task(index, attempt)] });
  const underWay = { ...host(2, 1), tasks: [{ ...task(2, 1), registered: false }] };
  const e = examiner(stage);
  const named = createDoctor(
    { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
    { ...e.deps, ports: { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) } },
  );
  const { hosts } = e.deps;
  await hosts.reserve(uid, 3, 2_000, stage.time);
  await hosts.writeHosts(
    uid,
    { row: 0, version: 0, hosts: [host(0, 1), host(1, 7), underWay] },
    plusMs(stage.time, 1e9),
  );
  const diagnosis = await named.job('default', 'work');
  expect(find(diagnosis, 'NameAstray').what).toMatch(/^index 1: /);
  expect(find(diagnosis, 'Unnamed').what).toMatch(/^2 indexes \(1,2\): /);
  expect(short(await work(e))).toEqual(['info Active']); // this installation has no names
  stage.advance(31 * MINUTE_MS);
  await stage.settle();
  expect((await stage.status(uid)).phase.kind).toBe('finished');
  // The message that removes the names has not come.
  await hosts.reserve(uid, 3, 2_000, stage.time);
  await hosts.writeHosts(uid, { ...(await hosts.readHosts(uid, 0)), hosts: [host0()] }, plusMs(stage.time, 1e9));
  expect(find(await named.job('default', 'work'), 'NamesHeld')).toMatchObject({
    severity: 'warning',
    what: 'it is over, and has names: 1 record, 3 names reserved',
  });
  expect(short(await named.installation())).toEqual([]);
  stage.advance(11 * MINUTE_MS);
  expect(find(await named.job('default', 'work'), 'NamesHeld').severity).toBe('error');
  expect(find(await named.installation(), 'NamesHeld').subject).toBe('job/default/work');

  function host0() {
    const { arn } = stage.started(uid, 0)[0]!;
    const record = { attempt: 1, nonce: 0, taskArn: arn, ip: '10.0.0.1', calledAt: null, registered: true };
    return { index: 0, serviceId: 's', tasks: [record] };
  }
});
