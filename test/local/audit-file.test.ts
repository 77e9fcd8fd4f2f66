import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openAuditFile } from '../../local/audit-file.ts';
import type { AuditEvent } from '../../shared/ports/callers/audit.ts';
import { aLocalRuntime } from '../e2e/a-local-runtime.ts';

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-audit-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const linesOf = (file: string): readonly AuditEvent[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent);

const EVENT: AuditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'one',
  stage: 'ResponseComplete',
  requestURI: '/x',
  verb: 'delete',
  user: { username: 'jane', groups: [] },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2023-11-14T22:13:20Z',
  stageTimestamp: '2023-11-14T22:13:20Z',
  annotations: {},
};

test('events are appended, a line each, to a file for its owner only', () => {
  const file = join(aFolder(), 'audit.jsonl');
  for (const auditID of ['one', 'two']) {
    const audit = openAuditFile(file, () => undefined);
    audit.record({ ...EVENT, auditID });
    audit.close();
  }
  expect(linesOf(file).map(({ auditID }) => auditID)).toEqual(['one', 'two']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a link is not followed', () => {
  const dir = aFolder();
  writeFileSync(join(dir, 'other'), '');
  symlinkSync(join(dir, 'other'), join(dir, 'link'));
  expect(() => openAuditFile(join(dir, 'link'), () => undefined)).toThrow('ELOOP');
});

test('a line that cannot be written is a warning', () => {
  const warnings: string[] = [];
  const audit = openAuditFile(join(aFolder(), 'audit.jsonl'), (message) => void warnings.push(message));
  audit.close();
  audit.record(EVENT);
  expect(warnings).toEqual(['an audit event could not be written']);
});

test('the embedded runtime writes what its user changes', async () => {
  const dir = aFolder();
  mkdirSync(join(dir, 'logs'));
  const audit = join(dir, 'logs', 'audit.jsonl');
  const { runtime, close } = await aLocalRuntime({ audit });
  const jobs = `${runtime.url}/apis/batch/v1/namespaces/default/jobs`;
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x', command: ['true'] }] } };
  const document = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sums' },
    spec: { template, suspend: true },
  };
  const headers = { 'content-type': 'application/json' };
  await fetch(jobs, { method: 'POST', headers, body: JSON.stringify(document) });
  await fetch(jobs);
  await fetch(`${jobs}/sums`, { method: 'DELETE' });
  await close();
  expect(
    linesOf(audit).map(({ verb, user, objectRef, responseStatus }) => [
      verb,
      user.username,
      objectRef?.name,
      responseStatus.code,
    ]),
  ).toEqual([
    ['create', 'local', 'sums', 201],
    ['delete', 'local', 'sums', 200],
  ]);
});
