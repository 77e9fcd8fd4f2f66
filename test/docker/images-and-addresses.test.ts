import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findEngine } from '../../local/docker/engine-address.ts';
import { parseImageName } from '../../local/docker/image-name.ts';

describe('an image name', () => {
  const HUB = 'https://index.docker.io/v1/';
  test.each([
    ['python', 'python', 'latest', HUB],
    ['python:3.12', 'python', '3.12', HUB],
    ['docker.io/library/python:3', 'docker.io/library/python', '3', HUB],
    ['me/app', 'me/app', 'latest', HUB],
    ['localhost/app:1', 'localhost/app', '1', 'localhost'],
    ['127.0.0.1:5000/app', '127.0.0.1:5000/app', 'latest', '127.0.0.1:5000'],
    ['ghcr.io/me/app@sha256:ab', 'ghcr.io/me/app', 'sha256:ab', 'ghcr.io'],
    ['ghcr.io/me/app:1@sha256:ab', 'ghcr.io/me/app', 'sha256:ab', 'ghcr.io'],
  ])('%s', (image, repository, tag, registry) => {
    expect(parseImageName(image)).toEqual({ repository, tag, registry });
  });
});

describe('the engine is the one of the docker command line', () => {
  const folder = createHash('sha256').update('work').digest('hex');
  const files: Readonly<Record<string, string>> = {
    '/home/kim/.docker/config.json': '{"currentContext":"work"}',
    [`/home/kim/.docker/contexts/meta/${folder}/meta.json`]:
      '{"Endpoints":{"docker":{"Host":"tcp://build.example:2376"}}}',
    '/set/config.json': 'torn {',
  };
  const find = (env: Record<string, string>, sockets: readonly string[] = []) =>
    findEngine({
      env,
      homeDir: '/home/kim',
      read: (path) => files[path] ?? null,
      isSocket: (path) => sockets.includes(path),
    });

  test('DOCKER_HOST comes first', () => {
    expect(find({ DOCKER_HOST: 'unix:///run/mine.sock' })).toEqual({
      kind: 'found',
      address: { kind: 'socket', path: '/run/mine.sock' },
      by: 'DOCKER_HOST',
    });
    expect(find({ DOCKER_HOST: 'tcp://10.0.0.1:2375' })).toMatchObject({
      address: { kind: 'host', url: 'http://10.0.0.1:2375', certDir: null },
    });
    expect(
      find({ DOCKER_HOST: 'tcp://10.0.0.1:2375', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' }),
    ).toMatchObject({
      address: { kind: 'host', url: 'https://10.0.0.1:2375', certDir: '/certs' },
    });
  });

  test('then the context', () => {
    expect(find({})).toMatchObject({
      address: { kind: 'host', url: 'https://build.example:2376' },
      by: 'the docker context work',
    });
    expect(find({ DOCKER_CONTEXT: 'gone' })).toEqual({
      kind: 'none',
      reason: 'the docker context gone does not exist',
    });
  });

  test('then a usual socket; a configuration that cannot be read says nothing', () => {
    const env = { DOCKER_CONFIG: '/set', XDG_RUNTIME_DIR: '/run/user/1000' };
    expect(find(env, ['/run/user/1000/podman/podman.sock', '/var/run/docker.sock'])).toMatchObject({
      by: '/var/run/docker.sock',
    });
    expect(find(env, ['/run/user/1000/podman/podman.sock'])).toMatchObject({ by: '/run/user/1000/podman/podman.sock' });
    expect(find(env)).toMatchObject({ kind: 'none' });
  });

  test('an address that it does not know is refused with its name', () => {
    expect(find({ DOCKER_HOST: 'ssh://kim@build' })).toEqual({
      kind: 'none',
      reason: 'DOCKER_HOST is ssh://kim@build: expected unix:// or tcp://',
    });
  });
});
