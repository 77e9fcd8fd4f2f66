import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpectStatic } from 'vitest';
import { type Kube, eventually, shellJob } from '../kube-calls.ts';

type Session = {
  readonly kube: Kube;
  readonly workspaceDir: string;
  readonly expect: ExpectStatic;
  readonly image: string;
};

/** What is printed in the first part comes so much earlier than the rest. */
const APART_MS = 5_000;
const FOLLOWERS = 200;

const FIRST = 'a\n\n  b\r\nc\n';
const SECOND = 'new\nerr\n';
const LAST = `partial\n${'x'.repeat(2 ** 20)}\nend`;
const SCRIPT = `cd "\${MUSTER_WORKSPACE:-/workspace}"
wait_for() { while [ ! -e "$1" ]; do sleep 0.1; done; }
printf 'a\\n\\n  b\\r\\nc\\n'; wait_for go-on
echo new; sleep 0.5; echo err >&2; sleep 0.5; printf part; wait_for go-end
echo ial; x=x; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done; echo "$x"; printf end`;

/** Reads the log of a Job that really prints, in every way that a client may ask for: as it grows, and when it is whole. Returns its Pod. */
export async function logSession({ kube, workspaceDir, expect, image }: Session): Promise<string> {
  await kube.create(jobOf(image, 'prints', SCRIPT));
  const pod = await eventually(
    async () => (await kube.pods('prints'))[0]?.metadata.name ?? null,
    () => 'there is no Pod',
  );
  const log = async (query = ''): Promise<string> => kube.log(pod, query);
  const untilIs = async (text: string, query: () => string = () => ''): Promise<unknown> => {
    let seen = '';
    return eventually(
      async () => {
        const { status, text: answered } = await kube.ask('GET', `${PODS}/${pod}/log${query()}`);
        seen = `${status} ${answered.slice(0, 200)}`;
        return status === 200 && answered === text ? true : null;
      },
      () => seen,
    );
  };
  await untilIs(FIRST);
  const followers = Array.from({ length: FOLLOWERS }, async () => log('?follow=true'));
  const stamped = log('?follow=true&timestamps=true');
  await sleep(APART_MS);
  writeFileSync(join(workspaceDir, 'go-on'), '');
  // A line that is not whole is not shown yet.
  await untilIs(FIRST + SECOND);

  const timeOf = (lines: string, line: string): string => new RegExp(`^(\\S+) ${line}$`, 'm').exec(lines)?.[1] ?? '';
  const newTime = timeOf(await log('?timestamps=true'), 'new');
  expect(await log(`?sinceTime=${newTime}`)).toBe(SECOND);
  await untilIs(SECOND, () => `?sinceSeconds=${Math.ceil((Date.now() - Date.parse(newTime)) / 1_000) + 1}`);
  expect(await log('?tailLines=1')).toBe('err\n');
  expect(await log('?tailLines=5')).toBe(`\n  b\r\nc\n${SECOND}`);
  expect(await log('?tailLines=0')).toBe('');
  expect(await log('?limitBytes=3')).toBe('a\n\n');
  expect(await log(`?tailLines=4&sinceTime=${newTime}&limitBytes=5`)).toBe('new\ne');
  for (const [query, status, message] of [
    ['?previous=true', 400, `previous terminated container \\"main\\" in pod \\"${pod}\\" not found`],
    ['?tailLines=-1', 422, 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['?limitBytes=0', 422, 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['?container=other', 400, `container other is not valid for pod ${pod}`],
  ] as const) {
    const answer = await kube.ask('GET', `${PODS}/${pod}/log${query}`);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
  }

  writeFileSync(join(workspaceDir, 'go-end'), '');
  const whole = FIRST + SECOND + LAST;
  const followed = await Promise.all(followers);
  expect(followed.filter((text) => text !== whole)).toEqual([]);
  const withTimes = await stamped;
  expect(withTimes.replaceAll(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z /gm, '')).toBe(whole);
  const times = withTimes.split('\n').map((line) => line.slice(0, 30));
  expect(times).toEqual([...new Set(times)].toSorted());
  await kube.ended('prints');
  expect(await log()).toBe(whole);
  expect(await log('?timestamps=true')).toBe(withTimes);
  expect(await log('?tailLines=2')).toBe(LAST.slice('partial\n'.length));
  expect(await log('?follow=true&tailLines=1')).toBe('end');
  return pod;
}

const PODS = '/api/v1/namespaces/default/pods';

const jobOf = (image: string, name: string, script: string, pod: object = {}): object =>
  shellJob(name, script, {}, { containers: [{ name: 'main', image, command: ['sh', '-c', script] }], ...pod });

/** Reads the log of a container that fails once, and is started again. Returns its Pod. */
export async function restartSession({ kube, workspaceDir, expect, image }: Session): Promise<string> {
  const script = `cd "\${MUSTER_WORKSPACE:-/workspace}"
if [ -e tried ]; then echo second; while [ ! -e go-after ]; do sleep 0.1; done; echo done; exit 0; fi
touch tried; echo first; exit 3`;
  await kube.create(jobOf(image, 'again', script, { restartPolicy: 'OnFailure' }));
  let seen = '';
  const pod = await eventually(
    async () => {
      const name = (await kube.pods('again'))[0]?.metadata.name ?? '';
      seen = (await kube.ask('GET', `${PODS}/${name}/log`)).text;
      return seen === 'second\n' ? name : null;
    },
    () => seen,
  );
  expect(await kube.log(pod, '?previous=true')).toBe('first\n');
  expect(await kube.log(pod, '?previous=true&follow=true')).toBe('first\n');
  const following = kube.log(pod, '?follow=true');
  writeFileSync(join(workspaceDir, 'go-after'), '');
  expect(await following).toBe('second\ndone\n');
  await kube.ended('again');
  return pod;
}
