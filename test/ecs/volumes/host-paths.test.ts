import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aTemporaryFolder } from '../../support/a-temporary-folder.ts';
import { type HostPlaces, hostPathsOf as pathsOf } from '../../../local/ecs/driver/host-paths.ts';

let root: string;
let allowed: string;
let outside: string;
beforeEach(() => {
  root = aTemporaryFolder('muster-paths-');
  [allowed, outside] = [join(root, 'allowed'), join(root, 'outside')];
  for (const folder of [allowed, outside]) mkdirSync(folder);
});

const hostPathsOf = (
  wanted: Parameters<typeof pathsOf>[0],
  folders: readonly string[],
  claims: HostPlaces['claims'] = null,
) => pathsOf(wanted, { folders, claims });

const definition = (volumes: readonly { readonly path: string; readonly type?: string }[]) => ({
  volumes: volumes.map(({ path }, i) => ({ name: `v${i}`, host: { sourcePath: path } })),
  containerDefinitions: [
    {
      name: 'main',
      image: 'i',
      dockerLabels: Object.fromEntries(
        volumes.flatMap(({ type }, i) => (type === undefined ? [] : [[`muster.run/host-path-type-v${i}`, type]])),
      ),
    },
  ],
});

/** Where the volume leads, or why it may not be mounted. */
const found = (path: string, type?: string): string => {
  const paths = hostPathsOf(definition([{ path, ...(type === undefined ? {} : { type }) }]), [allowed]);
  if (paths.kind === 'found') return paths.places.get('v0') ?? 'nowhere';
  return paths.reason.replace('ResourceInitializationError: MountVolume.SetUp failed for volume "v0" : ', '');
};
const NOT_WITHIN = 'is not within what muster local --allow-host-path names:';

test('a volume leads to its path, links followed', () => {
  mkdirSync(join(allowed, 'data'));
  symlinkSync('data', join(allowed, 'link'));
  symlinkSync(allowed, join(root, 'way'));
  expect(found(join(allowed, 'data'))).toBe(join(allowed, 'data'));
  expect(found(join(allowed, 'link'))).toBe(join(allowed, 'data'));
  expect(found(join(root, 'way', 'link'))).toBe(join(allowed, 'data'));
  expect(found(allowed)).toBe(allowed);
});

test('a definition without such volumes has none, whatever is allowed', () => {
  const plain = { volumes: [{ name: 'v0' }, { name: 'v1', host: {} }], containerDefinitions: [] };
  expect(hostPathsOf(plain, [])).toEqual({ kind: 'found', places: new Map() });
  expect(hostPathsOf({ containerDefinitions: [] }, [])).toEqual({ kind: 'found', places: new Map() });
});

describe('nobody gets out of the allowed folders', () => {
  const types = [undefined, 'Directory', 'DirectoryOrCreate', 'FileOrCreate', 'File'];

  test.each(types)('by a link that a task has made there (%s)', (type) => {
    writeFileSync(join(outside, 'secret'), '');
    symlinkSync(outside, join(allowed, 'link'));
    symlinkSync('/etc/passwd', join(allowed, 'file'));
    expect(found(join(allowed, 'link'), type)).toBe(
      `${join(allowed, 'link')} is ${outside}, which ${NOT_WITHIN} ${allowed}`,
    );
    expect(found(join(allowed, 'link', 'secret'), type)).toContain(NOT_WITHIN);
    expect(found(join(allowed, 'file'), type)).toContain(NOT_WITHIN);
  });

  test.each(types)('by making something behind a link (%s)', (type) => {
    symlinkSync(outside, join(allowed, 'link'));
    symlinkSync(join(outside, 'absent'), join(allowed, 'dangling'));
    expect(found(join(allowed, 'link', 'new'), type)).toContain(NOT_WITHIN);
    expect(found(join(allowed, 'dangling'), type)).toBe(`${join(allowed, 'dangling')} is a link to nothing`);
    expect(found(join(allowed, 'dangling', 'new'), type)).toBe(`${join(allowed, 'dangling')} is a link to nothing`);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('by words', () => {
    expect(found(outside)).toBe(`${outside} ${NOT_WITHIN} ${allowed}`);
    expect(found(`${allowed}-too`)).toContain(NOT_WITHIN);
    for (const path of [`${allowed}/../outside`, `${allowed}/x/../../outside`, 'allowed', '', `${allowed}/a\0b`])
      expect(found(path)).toMatch(/is not absolute, or has '\.\.' in it|ERR_INVALID_ARG_VALUE/);
    expect(readdirSync(root).sort()).toEqual(['allowed', 'outside']);
  });

  test('where no folder is allowed', () => {
    expect(hostPathsOf(definition([{ path: allowed }]), [])).toEqual({
      kind: 'refused',
      reason: `ResourceInitializationError: MountVolume.SetUp failed for volume "v0" : ${allowed} ${NOT_WITHIN} no folder`,
    });
  });

  test('by a circle of links, or by what is below a file', () => {
    symlinkSync('round', join(allowed, 'round'));
    writeFileSync(join(allowed, 'file'), '');
    expect(found(join(allowed, 'round'))).toBe(`stat ${join(allowed, 'round')}: ELOOP`);
    expect(found(join(allowed, 'file', 'x'))).toBe(`stat ${join(allowed, 'file', 'x')}: ENOTDIR`);
  });
});

describe('the type says what has to be there', () => {
  const failed = (path: string, word: string): string => `hostPath type check failed: ${path} is not ${word}`;

  test('in the words of Kubernetes', () => {
    const [folder, file, none] = ['folder', 'file', 'none'].map((name) => join(allowed, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(folder);
    writeFileSync(file, '');
    expect([folder, file, none].map((path) => found(path, 'Directory'))).toEqual([
      folder,
      failed(file, 'a directory'),
      failed(none, 'a directory'),
    ]);
    expect([folder, file, none].map((path) => found(path, 'File'))).toEqual([
      failed(folder, 'a file'),
      file,
      failed(none, 'a file'),
    ]);
    expect(found(file, 'DirectoryOrCreate')).toBe(failed(file, 'a directory'));
    expect(found(folder, 'FileOrCreate')).toBe(failed(folder, 'a file'));
    expect(found(file, 'Socket')).toBe(failed(file, 'a socket file'));
    expect(found(file, 'CharDevice')).toBe(failed(file, 'a character device'));
    expect(found(none, 'BlockDevice')).toBe(failed(none, 'a block device'));
    expect(found(file, '')).toBe(file);
    expect(found(file, 'Pipe')).toBe('Pipe is an invalid volume type');
  });

  test('and finds sockets and devices', async () => {
    const path = join(allowed, 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    onTestFinished(() => void server.close());
    expect(found(path, 'Socket')).toBe(path);
    const device = hostPathsOf(definition([{ path: '/dev/null', type: 'CharDevice' }]), ['/dev']);
    expect(device).toMatchObject({ kind: 'found' });
  });

  test('a folder and a file are made with modes of Kubernetes, whatever the umask is', () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    const deep = join(allowed, 'a', 'b');
    expect(found(deep, 'DirectoryOrCreate')).toBe(deep);
    expect([mode(join(allowed, 'a')), mode(deep)]).toEqual(['755', '755']);
    const file = join(deep, 'file');
    expect(found(file, 'FileOrCreate')).toBe(file);
    expect(mode(file)).toBe('644');
    // As container runtimes do where Kubernetes checks nothing.
    expect(found(join(allowed, 'any'))).toBe(join(allowed, 'any'));
    expect(mode(join(allowed, 'any'))).toBe('755');
    // What is there stays as it is.
    chmodSync(deep, 0o700);
    found(deep, 'DirectoryOrCreate');
    expect(mode(deep)).toBe('700');
  });

  test("a file's folder is not made", () => {
    const file = join(allowed, 'none', 'file');
    expect(found(file, 'FileOrCreate')).toBe(`open ${file}: no such file or directory`);
    expect(readdirSync(allowed)).toEqual([]);
  });
});

test('nothing is made for a task if one of its volumes is refused', () => {
  const [made, last] = [join(allowed, 'made'), join(allowed, 'absent')];
  const paths = hostPathsOf(
    definition([
      { path: made, type: 'DirectoryOrCreate' },
      { path: last, type: 'File' },
    ]),
    [allowed],
  );
  expect(paths).toMatchObject({ kind: 'refused', reason: expect.stringContaining('volume "v1"') as string });
  expect(existsSync(made)).toBe(false);
});

test('two volumes of one path that is not there yet are both found', () => {
  const path = join(allowed, 'made');
  const paths = hostPathsOf(definition([{ path }, { path: join(path, 'in') }, { path }]), [allowed]);
  expect(paths).toEqual({
    kind: 'found',
    places: new Map([
      ['v0', path],
      ['v1', join(path, 'in')],
      ['v2', path],
    ]),
  });
});

describe('the folder of a claim', () => {
  const claims = () => ({ given: join(root, 'link-to-data/volumes'), real: join(root, 'data/volumes') });
  const claimed = (path: string): string => {
    const paths = hostPathsOf(definition([{ path, type: 'Directory' }]), [allowed], claims());
    return paths.kind === 'found' ? (paths.places.get('v0') ?? 'nowhere') : paths.reason;
  };
  beforeEach(() => {
    mkdirSync(join(root, 'data'));
    symlinkSync('data', join(root, 'link-to-data'));
  });

  test('is made for all users of containers, in folders that nobody else enters, whatever its type', () => {
    const before = process.umask(0o022);
    onTestFinished(() => void process.umask(before));
    const mode = (path: string): string => (statSync(join(root, path)).mode & 0o777).toString(8);
    for (const data of ['data', 'link-to-data'])
      expect(claimed(join(root, data, 'volumes/default/claim-1'))).toBe(join(root, 'data/volumes/default/claim-1'));
    expect(['data/volumes', 'data/volumes/default', 'data/volumes/default/claim-1'].map(mode)).toEqual([
      '700',
      '700',
      '777',
    ]);
  });

  test('is no other by a link, and nothing else of the data folder is one', () => {
    claimed(join(root, 'data/volumes/default/theirs'));
    symlinkSync(join(root, 'data/volumes/default/theirs'), join(allowed, 'link'));
    symlinkSync('theirs', join(root, 'data/volumes/default/ours'));
    symlinkSync('/etc', join(root, 'data/volumes/default/etc'));
    for (const path of [
      'data/volumes/default/ours',
      'data/volumes/default/etc',
      'data/volumes',
      'data',
      'allowed/link',
    ])
      expect(claimed(join(root, path))).toContain(NOT_WITHIN);
    expect(claimed(`${join(root, 'data/volumes')}/../secrets`)).toContain("has '..' in it");
  });
});
