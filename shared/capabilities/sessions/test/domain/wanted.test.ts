import { expect, test } from 'vitest';
import { containerOf, overText, wantedIn } from '../../domain/wanted.ts';

test('a command has its words in their order, and a terminal has no stream of errors', () => {
  const query = { command: ['sh', '-c', 'a  b'], stdin: ['1'], stdout: ['true'], stderr: ['true'], tty: ['true'] };
  expect(wantedIn('exec', { ...query, container: ['main'] })).toEqual({
    kind: 'ok',
    wanted: { kind: 'exec', command: ['sh', '-c', 'a  b'], stdin: true, stdout: true, stderr: false, tty: true },
    container: 'main',
  });
});

test.each([
  ['', true],
  ['1', true],
  ['yes', true],
  ['0', false],
  ['False', false],
])('a flag of the value "%s" is %s', (value, is) => {
  const asked = wantedIn('attach', { stdin: [value], stdout: ['true'] });
  expect(asked).toMatchObject({ wanted: { stdin: is } });
});

test.each([
  [{ command: ['ls'] }, 'you must specify at least 1 of stdin, stdout, stderr'],
  [{ command: ['ls'], stderr: ['1'], tty: ['1'] }, 'you must specify at least 1 of stdin, stdout, stderr'],
  [{ stdout: ['1'] }, 'you must specify at least one command for the container'],
  [{ stdout: ['1'], command: [''] }, 'you must specify at least one command for the container'],
  [{ stdout: ['1'], command: ['a\0b'] }, 'a command cannot contain a NUL'],
])('a request of %o is refused', (query, why) => {
  expect(wantedIn('exec', query)).toEqual({ kind: 'bad', why });
});

test('ports come one by one or with commas, and each must be one', () => {
  expect(wantedIn('portforward', { ports: ['80,443', '8080'] })).toMatchObject({ wanted: { ports: [80, 443, 8080] } });
  expect(wantedIn('portforward', {})).toMatchObject({ wanted: { ports: [] } });
  for (const port of ['0', '65536', 'http', '-1', '1e3'])
    expect(wantedIn('portforward', { ports: [port] })).toMatchObject({ kind: 'bad' });
  expect(wantedIn('portforward', { ports: Array.from({ length: 129 }, () => '80') })).toMatchObject({ kind: 'bad' });
});

test('a container is the one that is named, the usual one, or the only one', () => {
  const two = { containers: ['a', 'b'], initContainers: ['first'], usual: undefined };
  expect(containerOf('b', 'p', two)).toEqual({ kind: 'ok', name: 'b' });
  expect(containerOf('first', 'p', two)).toEqual({ kind: 'ok', name: 'first' });
  expect(containerOf('c', 'p', two)).toEqual({ kind: 'bad', why: 'container c is not valid for pod p' });
  expect(containerOf(null, 'p', { ...two, usual: 'b' })).toEqual({ kind: 'ok', name: 'b' });
  expect(containerOf(null, 'p', { ...two, usual: 'gone' })).toEqual({
    kind: 'bad',
    why: 'a container name must be specified for pod p, choose one of: [first a b]',
  });
  expect(containerOf(null, 'p', { ...two, containers: ['a'] })).toEqual({ kind: 'ok', name: 'a' });
});

test('a Pod that is over is refused in the words of kubectl', () => {
  expect(overText('attach', 'Failed')).toBe('cannot attach a container in a completed pod; current phase is Failed');
  expect(overText('portForward', 'Succeeded')).toBe(
    'unable to forward port because pod is not running. Current status=Succeeded',
  );
});
