import { describe, expect, test } from 'vitest';
import { type Attack, WHY_NOT, siege } from './a-siege.ts';

/** What another user of the machine does to the API; the attack outlasts what is measured. */
const API: readonly [name: string, kind: string, count: number, programs: number, seconds: number, files?: number][] = [
  ["16,000 sockets of its own in the kernel's table, and 45 requests a second", 'table', 8_000, 1, 30],
  ['requests without end on 3 connections, none of whose answers is read', 'pipeline', 3, 1, 20],
  ['connections as fast as they go', 'flood', 0, 1, 10],
  ['1,300 idle connections, where 1,024 files may be open', 'idle', 1_300, 1, 10, 1_024],
  ['1,300 heads that never end, where 1,024 files may be open', 'heads', 1_300, 1, 10, 1_024],
  ['1,300 bodies that never come, where 1,024 files may be open', 'bodies', 1_300, 1, 10, 1_024],
];
const LONGER = 60;

describe.runIf(WHY_NOT === null)('the owner is answered while another user opens', () => {
  test.each(API)('%s', async (name, kind, count, programs, seconds, files) => {
    const attack = (port: number): Attack => ({ kind, port, count, seconds: seconds + LONGER });
    const wrong = await siege(name, ({ port }) => Array.from({ length: programs }, () => attack(port)), {
      seconds,
      files,
    });
    expect(wrong).toEqual([]);
  });

  test('DNS queries without end on 3 connections, none of whose answers is read', async () => {
    const wrong = await siege('dns', ({ dnsPort: port }) => [{ kind: 'dns', port, count: 3, seconds: 20 + LONGER }], {
      seconds: 20,
    });
    expect(wrong).toEqual([]);
  });
});
