import { describe, expect, it } from 'vitest';
import { START, aWorld } from '../a-world.ts';

const OF_DEFAULT = '/api/v1/namespaces/default/services';
const EVERYWHERE = '/api/v1/services';

describe('Services', () => {
  it.each([
    OF_DEFAULT,
    EVERYWHERE,
    '/api/v1/namespaces/kube-system/services?labelSelector=kubernetes.io/cluster-service=true',
  ])('are none: %s', async (path) => {
    const { app } = await aWorld();
    const response = await app.request(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      kind: 'ServiceList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1' },
      items: [],
    });
  });

  it('have columns anyway', async () => {
    const { app } = await aWorld();
    const response = await app.request(OF_DEFAULT, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const table = (await response.json()) as {
      columnDefinitions: readonly { name: string }[];
      rows: readonly unknown[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Type',
      'Cluster-IP',
      'External-IP',
      'Port(s)',
      'Age',
      'Selector',
    ]);
    expect(table.rows).toEqual([]);
  });

  it('never come: a watch waits as long as it was asked to, and says so', async () => {
    const { app, clock } = await aWorld();
    const response = await app.request(
      `${OF_DEFAULT}?watch=true&resourceVersion=1&timeoutSeconds=5&allowWatchBookmarks=true`,
    );
    const lines = (await response.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        type: 'BOOKMARK',
        object: { kind: 'Service', apiVersion: 'v1', metadata: { resourceVersion: '1', creationTimestamp: null } },
      },
    ]);
    expect(clock.now() - START).toBe(5000);
    const silent = await app.request(`${OF_DEFAULT}?watch=true&timeoutSeconds=1`);
    expect(await silent.text()).toBe('');
  });

  it('are empty for clients that watch from the beginning', async () => {
    const { app } = await aWorld();
    const query =
      'watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const response = await app.request(`${OF_DEFAULT}?${query}`);
    expect((await response.text()).split('\n')[0]).toContain('"k8s.io/initial-events-end":"true"');
  });

  it.each<[string, string, number, string]>([
    ['GET', `${OF_DEFAULT}/kubernetes`, 404, 'services "kubernetes" not found'],
    ['POST', OF_DEFAULT, 405, 'Services are not made here: nothing routes to a Job; leave the Service out'],
    [
      'DELETE',
      `${OF_DEFAULT}/kubernetes`,
      405,
      'Services are not made here: nothing routes to a Job; leave the Service out',
    ],
    [
      'PATCH',
      `${OF_DEFAULT}/kubernetes`,
      405,
      'Services are not made here: nothing routes to a Job; leave the Service out',
    ],
    ['DELETE', EVERYWHERE, 405, 'Services are not made here: nothing routes to a Job; leave the Service out'],
  ])('%s %s: %d', async (method, path, code, message) => {
    const { app } = await aWorld();
    const response = await app.request(path, { method });
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject({ kind: 'Status', status: 'Failure', code, message });
  });

  it.each(['labelSelector=a%3D%3D%3Db', 'fieldSelector=spec.ports%3D1', 'limit=x', 'resourceVersion=x'])(
    '?%s: 400',
    async (query) => {
      const { app } = await aWorld();
      expect((await app.request(`${OF_DEFAULT}?${query}`)).status).toBe(400);
    },
  );
});
