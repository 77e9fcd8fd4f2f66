import { describe, expect, test } from 'vitest';
import { environmentEntry, sayEnvironment, taskEnvironmentOf } from '../../cli/shell/task-environment.ts';

const SHELL = {
  HOME: '/home/ann',
  USER: 'ann',
  LANG: 'de_DE.UTF-8',
  LC_ALL: 'C',
  TZ: 'Europe/Berlin',
  PATH: '/home/ann/venv/bin:/usr/bin',
  VIRTUAL_ENV: '/home/ann/venv',
  AWS_SECRET_ACCESS_KEY: 'do-not-tell',
  EMPTY: '',
  PWD: '/home/ann/work',
  _: '/usr/bin/node',
  SHLVL: '2',
  MUSTER_CONTAINER: '/of/another/task',
  MUSTER_STARTED_AGAIN: '1',
  JOB_COMPLETION_INDEX: '7',
  'BASH_FUNC_x%%': '() { :; }',
};
const USUAL = ['HOME', 'LANG', 'LC_ALL', 'PATH', 'TZ', 'USER', 'VIRTUAL_ENV'];
const entries = (...texts: readonly string[]) =>
  texts.reduce<ReturnType<typeof environmentEntry>>((before, text) => environmentEntry(text, before), []);
const namesOf = (wish: Parameters<typeof taskEnvironmentOf>[0]) =>
  Object.keys(taskEnvironmentOf(wish, SHELL)).toSorted();

describe('what tasks get of a shell', () => {
  test('where and who one is, language and clock, and a Python environment; no secret', () => {
    expect(namesOf({ entries: [], inherit: false })).toEqual(USUAL);
    expect(taskEnvironmentOf({ entries: [], inherit: false }, SHELL)).toMatchObject({ PATH: SHELL.PATH, TZ: SHELL.TZ });
    expect(taskEnvironmentOf({ entries: [], inherit: false }, {})).toEqual({});
  });

  test('what is asked for, with its value or another', () => {
    const wish = { entries: entries('EMPTY', 'AWS_SECRET_ACCESS_KEY', 'TZ=UTC', 'A=b=c', 'NONE='), inherit: false };
    expect(taskEnvironmentOf(wish, SHELL)).toMatchObject({
      EMPTY: '',
      AWS_SECRET_ACCESS_KEY: 'do-not-tell',
      TZ: 'UTC',
      A: 'b=c',
      NONE: '',
    });
    expect(() => taskEnvironmentOf({ entries: entries('NOT_SET'), inherit: false }, SHELL)).toThrow(
      'error: --env NOT_SET: it is not set here; specify a value: --env NOT_SET=VALUE',
    );
  });

  test('everything, but what is about one process only', () => {
    expect(namesOf({ entries: [], inherit: true })).toEqual([...USUAL, 'AWS_SECRET_ACCESS_KEY', 'EMPTY'].toSorted());
  });

  test.each(['', '=x', '1A', 'A-B=c', 'db.password', 'MUSTER_WORKSPACE=/'])('--env %j makes no sense', (text) => {
    expect(() => entries(text)).toThrow(/It must be NAME or NAME=VALUE|are reserved/);
  });

  test('is said by name, without values', () => {
    expect(sayEnvironment({ entries: entries('A=b'), inherit: false }, { HOME: '/', X: 'y' }, 'process')).toBe(
      'A, HOME of this shell (more with --env NAME)',
    );
    expect(sayEnvironment({ entries: [], inherit: true }, SHELL, 'process')).toBe('all variables of this shell');
  });
});
