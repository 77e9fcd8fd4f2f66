import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { indexed, shellJob } from '../e2e/kube-calls.ts';
import { aBrowser, lookAt } from './a-browser.ts';

// `npm run pictures:page`: draws the pictures of the page in docs/pictures anew, from a runtime that works.

const PICTURES = 'docs/pictures';
const SIZE = { width: 1_280, height: 800 };

const FRAME = [
  'i=$JOB_COMPLETION_INDEX',
  'echo "frame $i: loading the scene"',
  'sleep 0.$((i % 9 + 1))',
  '[ $((i % 97)) = 13 ] && { echo "shader diverges at frame $i" >&2; exit 42; }',
  '[ $((i % 61)) = 7 ] && { echo "cannot open /scratch/texture-$i.bin" >&2; exit 3; }',
  'echo "frame $i: written"',
].join('\n');

const POLICY = {
  podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }] },
};

const withAnnotations = (job: object, annotations: object, labels: object = {}): object => {
  const { metadata, ...rest } = job as { readonly metadata: object };
  return { ...rest, metadata: { ...metadata, annotations, labels } };
};

async function drawAll(): Promise<void> {
  const local = await aLocalRuntime();
  const browser = await aBrowser();
  try {
    const { kube } = local;
    const small = { resources: { requests: { cpu: '50m', memory: '16Mi' } } };
    const frames = { ...indexed(1_200, 16), backoffLimitPerIndex: 2, ...POLICY };
    const container = { name: 'frame', image: 'debian:12-slim', command: ['sh', '-c', FRAME], ...small };
    await kube.create(
      withAnnotations(shellJob('frames', FRAME, frames, { containers: [container] }), {}, { campaign: 'spring' }),
    );
    await kube.create(
      withAnnotations(shellJob('contact-sheet', 'true', indexed(1, 1)), { 'muster.run/after': 'frames' }),
    );
    await kube.create(
      withAnnotations(shellJob('thumbnails', 'true', indexed(1_200, 8)), { 'muster.run/after-indexes': 'frames' }),
    );
    await kube.create(
      withAnnotations(shellJob('publish', 'true', indexed(3, 3)), { 'muster.run/after': 'contact-sheet, thumbnails' }),
    );
    await kube.create(
      shellJob('embed-corpus', 'sleep 30', { ...indexed(100_000, 20), suspend: true, backoffLimitPerIndex: 1 }),
    );
    await kube.create(shellJob('checksums', 'true', indexed(24, 8)));
    await kube.create(
      shellJob('migrate', 'echo "no such table: runs" >&2; exit 1', { ...indexed(1, 1), backoffLimit: 0 }),
    );
    const { spec } = shellJob('x', 'true') as { readonly spec: object };
    for (const [name, schedule] of [
      ['nightly', '30 3 * * *'],
      ['report', '0 8 * * mon-fri'],
    ] as const)
      await kube.ask('POST', '/apis/batch/v1/namespaces/default/cronjobs', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name },
        spec: { schedule, timeZone: 'Europe/Berlin', jobTemplate: { spec } },
      });
    await kube.until('frames', ({ status }) => (status.succeeded ?? 0) > 700);
    const { page } = await lookAt(browser, local.runtime.url, { viewport: SIZE, colorScheme: 'light' });
    await draw(page, '/ui/', 'page-jobs.png', 'row');
    await draw(page, '/ui/ns/default/jobs/frames', 'page-job.png', 'article');
    await draw(page, '/ui/ns/default/jobs/frames/index/7', 'page-index.png', 'row');
    await draw(page, '/ui/graph', 'page-graph.png', 'link');
    await draw(page, '/ui/schedules', 'page-schedules.png', 'row');
  } finally {
    await browser.close();
    await local.close();
  }
}

async function draw(page: Page, path: string, name: string, first: 'article' | 'link' | 'row'): Promise<void> {
  await page.goto(path);
  await page.getByRole(first).first().waitFor();
  await page.waitForTimeout(6_000); // so that there is a pace, and what is asked for later is there
  await page.screenshot({ path: join(PICTURES, name) });
}

await drawAll();
