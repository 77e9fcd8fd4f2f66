import { describe, expect, test } from 'vitest';
import { strangerAmong } from '../../../cli/client/port-owner.ts';
import { listenersIn } from '../../../local/door/socket-table.ts';

const ME = 1000;
const STRANGER = 65534;
const PORT = 20_123; // 4E9B

/** A table of /proc/net/tcp with one listening socket for each `ADDRESS:PORT` and owner. */
const tableOf = (...sockets: readonly (readonly [end: string, uid: number])[]): string =>
  [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    ...sockets.map(
      ([end, uid], i) =>
        `   ${i}: ${end} 00000000:0000 0A 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 4711${i} 1`,
    ),
    '',
  ].join('\n');

const [HERE, BESIDE, ALL] = ['0100007F:4E9B', '0200007F:4E9B', '00000000:4E9B'];
const ALL_OF_IPV6 = `${'0'.repeat(32)}:4E9B`;
const strangerBy = (...tables: readonly string[]): number | null =>
  strangerAmong(
    tables.map((table) => listenersIn(table, '127.0.0.1', PORT)),
    ME,
  );

describe('who gets what is sent to 127.0.0.1', () => {
  test.each<[string, readonly string[], number | null]>([
    ['nobody listens', [tableOf()], null],
    ['we', [tableOf([HERE, ME])], null],
    ['root', [tableOf([HERE, 0])], null],
    ['a stranger', [tableOf([HERE, STRANGER])], STRANGER],
    ['a stranger on all addresses', [tableOf([ALL, STRANGER])], STRANGER],
    ['a stranger on all addresses, in the other table', [tableOf(), tableOf([ALL_OF_IPV6, STRANGER])], STRANGER],
    ['we, while a stranger has the port of another address', [tableOf([BESIDE, STRANGER], [HERE, ME])], null],
    [
      'we, while a stranger has the port of all other addresses',
      [tableOf([HERE, ME]), tableOf([ALL_OF_IPV6, STRANGER])],
      null,
    ],
    ['nobody, while a stranger has another port', [tableOf(['0100007F:4E9C', STRANGER])], null],
  ])('%s', (_, tables, expected) => {
    expect(strangerBy(...tables)).toBe(expected);
  });
});
