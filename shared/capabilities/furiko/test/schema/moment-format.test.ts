import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { formatMoment } from '../../schema/moment-format.ts';

describe('a time in a format', () => {
  it('is read by the clock of its own offset', () => {
    expect(formatMoment('2021-03-28T02:30:09+08:00', 'YYYY-MM-DD HH:mm:ss Z')).toBe('2021-03-28 02:30:09 +08:00');
    expect(formatMoment('2021-03-28T02:30:09Z', 'YYYY-MM-DD HH:mm:ss Z')).toBe('2021-03-28 02:30:09 +00:00');
    expect(formatMoment('2021-03-28T02:30:09.25-03:30', 'H:m:s.SS ZZ')).toBe('2:30:9.25 -0330');
  });

  it('is the same on a machine whose clock skips that hour', () => {
    const script = `import { formatMoment } from ${JSON.stringify(new URL('../../schema/moment-format.ts', import.meta.url).pathname)};
process.stdout.write(String(formatMoment('2021-03-28T02:30:09+08:00', 'HH:mm X')));`;
    const run = (TZ: string): string =>
      execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
        env: { ...process.env, TZ },
        encoding: 'utf8',
      });
    expect(run('Europe/Berlin')).toBe('02:30 1616869809');
  });

  it.each([
    '',
    'x',
    '2021-03-28',
    '2021-03-28 02:30:09Z',
    '2021-02-30T00:00:00Z',
    '2021-03-28T24:00:00Z',
    '2021-03-28T02:30:09+24:00',
  ])('%j is none', (text) => {
    expect(formatMoment(text)).toBeNull();
  });
});
