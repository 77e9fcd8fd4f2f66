import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { aServer } from './a-server.ts';
import { aShell } from './a-shell.ts';

describe('the command line', () => {
  test.each([
    ['nope', "error: unknown command 'nope'"],
    ['gte', '(Did you mean get?)'],
    ['run', 'error: specify -f FILE, or a NAME, --image, and a command after --'],
    ['run -f a --wiat', '(Did you mean --wait?)'],
    ['run -f a --timeout 5m', 'error: --timeout needs --wait'],
    ['run -f a --wait --timeout soon', 'It must be a duration such as 90s, 5m, or 1h30m.'],
    ['run -f a --wait --timeout 0s', 'It must be a duration'],
    ['run -f a -o xml', 'Allowed choices are json, yaml, name.'],
    ['get a -n b -A', 'error: -A and -n cannot be combined'],
    ['get pods a b', 'error: get pods takes one Job'],
    ['get cronjob/a', 'error: "cronjob/a" is not the name of a Job'],
    ['logs', "error: missing required argument 'job'"],
    ['logs a --attempt 0', 'It must be a whole number from 1.'],
    ['logs a --tail -3', 'It must be a whole number from 0.'],
    ['delete', 'error: specify Job names, -l, or --all'],
    ['watch a --all', 'error: names, -l, and --all cannot be combined'],
    ['wait a --for sunset', 'Allowed choices are complete, failed, finished, delete.'],
    ['scale a', 'error: specify --parallelism'],
    ['scale a --parallelism many', 'It must be a whole number from 0.'],
    ['run -f a --force', 'error: --force needs --replace'],
    ['run -f nope.yaml', 'error: nope.yaml does not exist'],
    ['get a -l b=c', 'error: names and -l cannot be combined'],
    ['local --driver podman', 'Allowed choices are process, docker, simulated.'],
    ['local --driver docker --inherit-env', 'error: --inherit-env needs --driver process'],
    ['local --port 65536', 'It must be a whole number from 0 to 65535.'],
    ['local --port 6000', 'Browsers and Node.js refuse to connect to port 6000 (Fetch Standard); choose another.'],
    ['proxy --port 22', 'Browsers and Node.js refuse to connect to port 22 (Fetch Standard); choose another.'],
    ['local --env 1A', 'It must be NAME or NAME=VALUE.'],
    ['local --env NOT_SET_HERE', 'error: --env NOT_SET_HERE: it is not set here; specify a value'],
    ['completion tcsh', 'Allowed choices are bash, zsh, fish.'],
    ['stop --timeout soon', 'It must be a duration'],
    ['local --events-drop 2', 'It must be a number from 0 to 1.'],
    ['local --task-ms 5-1', 'It must be milliseconds'],
    ['local --task-ms 86400001', 'It must be milliseconds such as 500 or 500-2000, up to 86400000 (a day).'],
    ['local --events-shuffle-ms 600001', 'It must be a whole number from 0 to 600000.'],
    ['local --launches-per-sec 0', 'It must be a number of calls per second from 0.1 to 1000.'],
    ['local --cpus many', 'It must be a number of CPUs from 0.001 to 4096, or 0 for no limit.'],
    ['local --memory 8', 'It must be a size from 1Mi to 64Ti, such as 8Gi or 512Mi, or 0 for no limit.'],
    ['local --launches-per-sec fast', 'It must be a number of calls per second from 0.1 to 1000.'],
    ['local --launches-per-sec Infinity', 'It must be a number of calls per second from 0.1 to 1000.'],
    ['local --stops-per-sec 1001', 'It must be a number of calls per second from 0.1 to 1000.'],
    ['local --task-ms 5', 'error: --task-ms and --task-fail need --driver simulated'],
    ['local --in-memory --dynamodb-endpoint http://127.0.0.1:1', 'cannot be used with'],
    ['local --in-memory --discard-row SPEC', 'cannot be used with'],
    ['local --dynamodb-endpoint nope', 'It must be an address'],
    ['token --server https://kim:secret@muster.example', 'It must hold no user and no password before the host.'],
    ['local --workspace nowhere', 'error: --workspace: the folder'],
    ['local --allow-host-path . --allow-host-path nowhere', 'error: --allow-host-path: the folder'],
  ])('%s: exit 2', async (line, expected) => {
    const { run } = await aServer();
    const { code, out, err } = await run(line);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test.each([
    '--help',
    'run --help',
    'get --help',
    'logs --help',
    'delete --help',
    'watch --help',
    'wait --help',
    'suspend --help',
    'resume --help',
    'scale --help',
    'version --help',
    'local --help',
    'stop --help',
    'completion --help',
    'help run',
  ])('%s has examples, on standard output', async (line) => {
    const { run } = await aServer();
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Examples:\n  muster ');
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(110);
  });

  test.each([
    ['npx', 'Start one with `npx muster local`'],
    ['start', 'Start one with `muster local`'],
  ])('under %s a message names commands by the word that works there', async (event, expected) => {
    const { shell, err } = aShell({ cwd: '/', env: { npm_lifecycle_event: event } });
    expect(await runCommandLine(['get'], shell)).toBe(1);
    expect(err()).toContain(expected);
  });

  test('--version', async () => {
    const { run } = await aServer();
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
