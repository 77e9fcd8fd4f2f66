import { expect, test } from 'vitest';
import { diskFault } from '../../local/start-fault.ts';
import { createWarnings } from '../../local/warnings.ts';

function warnings() {
  const lines: string[] = [];
  const clock = { ms: 0 };
  const warn = createWarnings({
    say: (line) => lines.push(line),
    outageOf: (error) => diskFault(error, '/data'),
    nowMs: () => clock.ms,
  });
  return { warn, lines, clock };
}

test('a warning has its fields, and errors as text', () => {
  const { warn, lines } = warnings();
  warn('odd', { error: new TypeError('why'), index: 7 });
  warn('plain');
  expect(lines).toEqual(['warning: odd {"error":"TypeError: why","index":7}', 'warning: plain']);
});

test('one cause is said once, and again with its number while it lasts', () => {
  const { warn, lines, clock } = warnings();
  for (let n = 0; n < 1_000; n++) warn('message failed', { id: n, reason: 'Error: no' });
  warn('message failed', { id: 1, reason: 'Error: another' });
  clock.ms = 10_000;
  for (let n = 0; n < 1_000; n++) warn('message failed', { id: n, reason: 'Error: no' });
  clock.ms = 30_000;
  warn('message failed', { id: 8, reason: 'Error: no' });
  expect(lines).toEqual([
    'warning: message failed {"id":0,"reason":"Error: no"}',
    'warning: message failed {"id":1,"reason":"Error: another"}',
    'warning: message failed {"id":0,"reason":"Error: no"} (and 999 more like it)',
    'warning: message failed {"id":8,"reason":"Error: no"} (and 999 more like it)',
  ]);
});

test('a full disk is one sentence, whatever it strikes', () => {
  const { warn, lines } = warnings();
  warn('message failed', { id: 1, reason: 'Error: no space is left for /data/jobs.lmdb' });
  warn('request failed', { error: Object.assign(new Error('write'), { code: 'ENOSPC' }) });
  expect(lines).toEqual([
    'warning: the disk of /data is full: free some space, or use --data with another folder. Until then nothing is counted, and nothing is lost',
  ]);
});
