import { expect, test } from 'vitest';
import type { LogLine, LogReader } from '../../../shared/ports/log-reader.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import { parseLogOptions } from '../../../shared/kube/pods/pod-log-options.ts';
import { createLogLookouts } from '../../../shared/kube/pods/log-lookouts.ts';
import { logText } from '../../../shared/kube/pods/log-text.ts';

const NAMES = { containers: ['main'], initContainers: [] };
const AT = Date.parse('2026-01-02T03:04:05.678Z');
const clock = { now: () => AT as never, sleep: async () => undefined };

/** A log that is read a few lines at a time. */
const logOf = (lines: readonly LogLine[], page = 3): LogReader => ({
  async read({ after }) {
    const from = Number(after ?? 0);
    const some = lines.slice(from, from + page);
    return { kind: 'lines', lines: some, next: String(from + some.length) };
  },
  async readBack({ before }) {
    const to = Number(before ?? lines.length);
    const from = Math.max(0, to - page);
    return { kind: 'lines', lines: lines.slice(from, to), next: String(to), previous: String(from) };
  },
});

async function read(
  lines: readonly LogLine[],
  query: Readonly<Record<string, string>> = {},
  page?: number,
): Promise<Buffer> {
  const options = parseLogOptions(query, 'pod', NAMES, AT);
  if (options.kind === 'bad') throw new Error(JSON.stringify(options.error));
  const source = { taskArn: asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f'), hasEnded: true };
  const delivery = { endsAt: AT + 1_000, isCancelled: () => false, checkEnded: async () => true };
  const parts: Uint8Array[] = [];
  const logs = logOf(lines, page);
  const deps = { logs, clock, lookouts: createLogLookouts({ logs, clock }) };
  for await (const part of logText(source, options.value, delivery, deps)) parts.push(part);
  return Buffer.concat(parts);
}

/** Seven lines of one millisecond, then two of the next. */
const BURST: readonly LogLine[] = 'abcdefghi'.split('').map((text, nth) => ({ atMs: nth < 7 ? AT : AT + 1, text }));
const stamped = (from: number): string =>
  ['05.678000000Z a', '05.678000001Z b', '05.678000002Z c', '05.678000003Z d', '05.678000004Z e', '05.678000005Z f']
    .concat(['05.678000006Z g', '05.679000000Z h', '05.679000001Z i'])
    .slice(from)
    .map((line) => `2026-01-02T03:04:${line}\n`)
    .join('');

test('lines of one millisecond are numbered by nanoseconds, wherever reading begins', async () => {
  expect(String(await read(BURST, { timestamps: 'true' }))).toBe(stamped(0));
  for (let tail = 0; tail <= 9; tail++)
    for (const page of [1, 2, 3, 100])
      expect(String(await read(BURST, { timestamps: 'true', tailLines: String(tail) }, page))).toBe(stamped(9 - tail));
});

test('what is printed since the time of a line begins with that line', async () => {
  for (let nth = 0; nth < 9; nth++) {
    const sinceTime = stamped(nth).slice(0, 30);
    for (const more of [{}, { tailLines: '8' }])
      expect(String(await read(BURST, { timestamps: 'true', sinceTime, ...more }))).toBe(
        stamped('tailLines' in more ? Math.max(nth, 1) : nth),
      );
  }
});

test('of the last lines the late ones, of these the first bytes', async () => {
  const query = { tailLines: '4', sinceTime: '2026-01-02T03:04:05.678000006Z', limitBytes: '3' };
  expect(String(await read(BURST, query))).toBe('g\nh');
});

const bytesOf = (content: Buffer, at: number, continues = false): LogLine => ({
  atMs: AT,
  nanos: at,
  text: content.toString(),
  bytes: content,
  ...(continues ? { continues: 'surely' } : {}),
});

test('bytes come as they were printed: no text, no line end is made up', async () => {
  const parts = ['\n', '\r\n', '\0\u001b\n'].map((text) => Buffer.from(text));
  const odd = [...parts, Buffer.from([0xff, 0xfe, 0xc3, 0x0a]), Buffer.from('end')];
  const lines = odd.map((each, nth) => bytesOf(each, nth));
  expect(await read(lines)).toEqual(Buffer.concat(odd));
  expect(await read(lines, { tailLines: '2' })).toEqual(Buffer.concat(odd.slice(-2)));
});

test('the pieces of a line are one line: one time, one of the last', async () => {
  const lines = [
    bytesOf(Buffer.from('x\n'), 1),
    ...['one', ' long', ' line', ' of', ' pieces'].map((text, nth) => bytesOf(Buffer.from(text), nth + 2, true)),
    bytesOf(Buffer.from('.\n'), 7),
    bytesOf(Buffer.from('y\n'), 8),
  ];
  const long = 'one long line of pieces.\n';
  const time = '2026-01-02T03:04:05.67800000';
  expect(String(await read(lines))).toBe(`x\n${long}y\n`);
  expect(String(await read(lines, { tailLines: '2' }))).toBe(`${long}y\n`);
  expect(String(await read(lines, { tailLines: '2', timestamps: 'true' }))).toBe(`${time}2Z ${long}${time}8Z y\n`);
  expect(String(await read(lines, { sinceTime: `${time}3Z` }))).toBe('y\n');
  expect(String(await read(lines, { tailLines: '1' }))).toBe('y\n');
});

test('events that may be pieces are joined if they have one time', async () => {
  const piece = (text: string, atMs: number): LogLine => ({ atMs, text, continues: 'ifSameTime' });
  const lines = [piece('one ', AT), piece('line', AT), { atMs: AT, text: '!' }, piece('another', AT + 50)];
  expect(String(await read([...lines, { atMs: AT + 90, text: 'end' }]))).toBe('one line!\nanother\nend\n');
  expect(String(await read(lines))).toBe('one line!\nanother\n');
  expect(String(await read(lines, { tailLines: '2' }))).toBe('one line!\nanother\n');
});
