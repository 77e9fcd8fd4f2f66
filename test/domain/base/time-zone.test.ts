import { describe, expect, it } from 'vitest';
import { findTimeZone } from '../../../shared/domain/base/time-zone.ts';

describe('time zones', () => {
  it('knows every zone of the engine under its own name, and under no other spelling', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      expect(findTimeZone(name), name).toEqual({ kind: 'known' });
      for (const other of [name.toLowerCase(), name.toUpperCase()].filter((o) => o !== name))
        expect(findTimeZone(other), other).toEqual({ kind: 'unknown', reason: `unknown time zone ${other}` });
    }
  });

  it.each([
    'UTC',
    'Etc/UTC',
    'GMT',
    'GMT0',
    'GMT+0',
    'Etc/GMT+5',
    'Etc/GMT-14',
    'EST',
    'EST5EDT',
    'US/Eastern',
    'US/East-Indiana',
    'GB-Eire',
    'NZ-CHAT',
    'W-SU',
    'PRC',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'America/Port-au-Prince',
    'Africa/Dar_es_Salaam',
    'Europe/Isle_of_Man',
    'America/Argentina/Buenos_Aires',
    'America/Knox_IN',
    'Antarctica/DumontDUrville',
    'Australia/ACT',
    'Brazil/DeNoronha',
    'Mexico/BajaSur',
    'Zulu',
  ])('%s', (name) => {
    expect(findTimeZone(name)).toEqual({ kind: 'known' });
  });

  it.each([
    'utc',
    'Utc',
    'us/Eastern',
    'US/EASTERN',
    'America/New_york',
    'America',
    'Mars/Base',
    '+05:00',
    '+05',
    'Etc/GMT+15',
    'JST',
    'PST',
    'ACT',
    'America/New_York/',
    ' UTC',
    'Etc/Unknown',
    'Factory',
  ])('not %s', (name) => {
    expect(findTimeZone(name)).toEqual({ kind: 'unknown', reason: `unknown time zone ${name}` });
  });

  it.each(['../UTC', '/UTC', '\\UTC', 'a/../b'])('%s is not a name', (name) => {
    expect(findTimeZone(name)).toEqual({ kind: 'unknown', reason: 'time: invalid location name' });
  });
});
