import { describe, expect, test } from 'vitest';
import { aSchedulerRow } from './a-scheduler-row.ts';
import { freshNamespace } from '../../shared/domain/manifests/namespace.ts';
import { type Item, type Store, aRow, lastOf, requestsOf, shown, writesOf } from './spied-store.ts';
import { T0, aChunk, aNewJob, anAttempt, anEntry, at, following } from './store-under-test.ts';

// The expressions of each write decide its races, so this test fixes them word for word, and every other request, too.

const { spec, status, uid } = aNewJob({ uid: 'u-1' });
const CRON = { namespace: 'default', name: 'c' };
const A_DOCUMENT = { metadata: { uid: 'u-1' } };
const TEMPLATE = { taskDefinition: 'td:1', containers: [], placement: '' };
const next = following(status, '', { alarms: [at(1)] });

test('no range of names ends before it begins, whatever a client sends as the last name', async () => {
  const ranges = async (after: string | null) =>
    requestsOf(async ({ jobs }) =>
      jobs.listJobs({ namespace: 'default', after: after === null ? null : `default/${after}`, limit: 9 }),
    );
  for (const after of [null, '', 'a', 'z.z']) {
    const [[, range] = ['', {}]] = await ranges(after);
    const values = range['ExpressionAttributeValues'] as Item;
    expect(String(values[':from']?.S) < String(values[':to']?.S)).toBe(true);
  }
  for (const after of ['~', '~~', '\u00ff', '\u{1f600}']) expect(await ranges(after)).toEqual([]);
});

describe('requests that write', () => {
  test('reserve', async () => {
    expect(
      shown(
        await lastOf(async ({ hosts }) => hosts.reserve(uid, 3, 9, T0), {
          stored: [aRow('LIMIT#hosts', 'LIMIT', { version: { N: '3' } }, [])],
        }),
      ),
    ).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :0",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:3",
          ":body": "B:(packed)",
          ":by": "S:token-1",
          ":v": "N:1",
          ":version": "N:4",
        },
        "Key": {
          "pk": "S:LIMIT#hosts",
          "sk": "S:LIMIT",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #body = :body",
      }
    `);
  });

  test('writeAnnounced', async () => {
    expect(shown(await lastOf(async ({ jobs }) => jobs.writeAnnounced(uid, 7, at(60_000))))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_not_exists(#pk) OR #version < :0",
        "ExpressionAttributeNames": {
          "#pk": "pk",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:7",
          ":ttl": "N:1800000060",
          ":v": "N:1",
          ":version": "N:7",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:ANNOUNCED",
        },
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #ttl = :ttl",
      }
    `);
  });

  test('writeHosts', async () => {
    const hosts = [{ index: 0, serviceId: 'srv-1', tasks: [] }];
    const written = async (version: number) =>
      lastOf(async (store) => store.hosts.writeHosts(uid, { row: 0, version, hosts }, at(60_000)));
    expect(shown(await written(2))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :0 AND #ttl > :1",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:2",
          ":1": "N:1800000000",
          ":body": "B:(packed)",
          ":by": "S:token-1",
          ":ttl": "N:1800000060",
          ":v": "N:1",
          ":version": "N:3",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:HOSTS#000000",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #body = :body, #ttl = :ttl",
      }
    `);
    expect((await written(0))['ConditionExpression']).toBe('attribute_not_exists(#pk) OR #ttl <= :0');
  });

  test('commitPass', async () => {
    expect(shown(await lastOf(async ({ jobs }) => jobs.commitPass(uid, next, [])))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :0",
        "ExpressionAttributeNames": {
          "#alarmMinute": "alarmMinute",
          "#alarmShard": "alarmShard",
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:1",
          ":alarmMinute": "N:30000001",
          ":alarmShard": "N:3",
          ":body": "B:(packed)",
          ":by": "S:token-1",
          ":v": "N:1",
          ":version": "N:2",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:STATUS",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #body = :body, #alarmShard = :alarmShard, #alarmMinute = :alarmMinute",
      }
    `);
  });
  test('commitPass of a Job that waits for nothing', async () => {
    expect(
      shown(await lastOf(async ({ jobs }) => jobs.commitPass(uid, { ...next, alarms: [] }, []))),
    ).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :0",
        "ExpressionAttributeNames": {
          "#alarmMinute": "alarmMinute",
          "#alarmShard": "alarmShard",
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:1",
          ":body": "B:(packed)",
          ":by": "S:token-1",
          ":v": "N:1",
          ":version": "N:2",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:STATUS",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #body = :body REMOVE #alarmShard, #alarmMinute",
      }
    `);
  });
  test('commitPass with a chunk that is new and one that is not', async () => {
    const chunks = [aChunk(status, 0, 0, { attempt: 1 }), aChunk({ ...status, size: 9_000 }, 1, 6, { attempt: 1 })];
    expect(
      shown((await writesOf(async ({ jobs }) => jobs.commitPass(uid, next, chunks))).slice(1)),
    ).toMatchInlineSnapshot(`
      [
        {
          "Update": {
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {
              "#body": "body",
              "#pk": "pk",
              "#v": "v",
              "#version": "version",
            },
            "ExpressionAttributeValues": {
              ":body": "B:(packed)",
              ":v": "N:1",
              ":version": "N:1",
            },
            "Key": {
              "pk": "S:JOB#u-1",
              "sk": "S:BOARD#000",
            },
            "TableName": "muster",
            "UpdateExpression": "SET #v = :v, #version = :version, #body = :body",
          },
        },
        {
          "Update": {
            "ConditionExpression": "#version = :0",
            "ExpressionAttributeNames": {
              "#body": "body",
              "#v": "v",
              "#version": "version",
            },
            "ExpressionAttributeValues": {
              ":0": "N:6",
              ":body": "B:(packed)",
              ":v": "N:1",
              ":version": "N:7",
            },
            "Key": {
              "pk": "S:JOB#u-1",
              "sk": "S:BOARD#001",
            },
            "TableName": "muster",
            "UpdateExpression": "SET #v = :v, #version = :version, #body = :body",
          },
        },
      ]
    `);
  });
  test('createJob', async () => {
    expect(shown(await lastOf(async ({ jobs }) => jobs.createJob(spec, status)))).toMatchInlineSnapshot(`
      {
        "ClientRequestToken": "token-1",
        "TransactItems": [
          {
            "Put": {
              "ConditionExpression": "attribute_not_exists(#pk)",
              "ExpressionAttributeNames": {
                "#pk": "pk",
              },
              "Item": {
                "pk": "S:NS#default",
                "sk": "S:NAME#Job#work",
                "uid": "S:u-1",
                "v": "N:1",
              },
              "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
              "TableName": "muster",
            },
          },
          {
            "Put": {
              "ConditionExpression": "attribute_not_exists(#pk)",
              "ExpressionAttributeNames": {
                "#pk": "pk",
              },
              "Item": {
                "alarmMinute": "N:30000000",
                "alarmShard": "N:3",
                "body": "B:(packed)",
                "by": "S:token-1",
                "pk": "S:JOB#u-1",
                "sk": "S:STATUS",
                "v": "N:1",
                "version": "N:1",
              },
              "TableName": "muster",
            },
          },
          {
            "Put": {
              "ConditionExpression": "attribute_not_exists(#pk)",
              "ExpressionAttributeNames": {
                "#pk": "pk",
              },
              "Item": {
                "body": "B:(packed)",
                "pk": "S:JOB#u-1",
                "sk": "S:SPEC",
                "v": "N:1",
              },
              "TableName": "muster",
            },
          },
        ],
      }
    `);
  });
  test('commitSpec', async () => {
    expect(shown((await writesOf(async ({ jobs }) => jobs.commitSpec(spec, next)))[1])).toMatchInlineSnapshot(`
      {
        "Update": {
          "ConditionExpression": "attribute_exists(#pk)",
          "ExpressionAttributeNames": {
            "#body": "body",
            "#pk": "pk",
            "#v": "v",
          },
          "ExpressionAttributeValues": {
            ":body": "B:(packed)",
            ":v": "N:1",
          },
          "Key": {
            "pk": "S:JOB#u-1",
            "sk": "S:SPEC",
          },
          "TableName": "muster",
          "UpdateExpression": "SET #v = :v, #body = :body",
        },
      }
    `);
  });
  test('commitDeletion', async () => {
    expect(
      shown((await writesOf(async ({ jobs }) => jobs.commitDeletion(spec.identity, next)))[1]),
    ).toMatchInlineSnapshot(`
      {
        "Delete": {
          "ConditionExpression": "attribute_not_exists(#pk) OR #uid = :0",
          "ExpressionAttributeNames": {
            "#pk": "pk",
            "#uid": "uid",
          },
          "ExpressionAttributeValues": {
            ":0": "S:u-1",
          },
          "Key": {
            "pk": "S:NS#default",
            "sk": "S:NAME#Job#work",
          },
          "TableName": "muster",
        },
      }
    `);
  });
  test('expireJob', async () => {
    const requests = (await requestsOf(async ({ jobs }) => jobs.expireJob(uid, 2, at(1))))
      .slice(1)
      .map(([, each]) => each);
    expect(shown(requests[0])).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_exists(#pk)",
        "ExpressionAttributeNames": {
          "#pk": "pk",
          "#ttl": "ttl",
        },
        "ExpressionAttributeValues": {
          ":ttl": "N:1800000001",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:STATUS",
        },
        "TableName": "muster",
        "UpdateExpression": "SET #ttl = :ttl",
      }
    `);
    expect(requests.map(({ Key }) => shown((Key as Item)['sk']))).toMatchInlineSnapshot(`
      [
        "S:STATUS",
        "S:SPEC",
        "S:TEMPLATE",
        "S:MARK",
        "S:BOARD#000",
        "S:BOARD#001",
      ]
    `);
  });
  test('writeAttempts', async () => {
    expect(
      shown(await lastOf(async ({ jobs }) => jobs.writeAttempts(uid, [anAttempt(4_100, 2)], at(0)))),
    ).toMatchInlineSnapshot(`
      {
        "RequestItems": {
          "muster": [
            {
              "PutRequest": {
                "Item": {
                  "body": "B:(packed)",
                  "pk": "S:TASK#u-1#001#0",
                  "sk": "S:004100#000002",
                  "ttl": "N:1800000000",
                  "v": "N:1",
                },
              },
            },
          ],
        },
      }
    `);
  });
  test('addTemplate', async () => {
    expect(shown(await lastOf(async ({ jobs }) => jobs.addTemplate(uid, 0, TEMPLATE)))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_not_exists(#pk)",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#pk": "pk",
          "#v": "v",
        },
        "ExpressionAttributeValues": {
          ":body": "B:(packed)",
          ":v": "N:1",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:TEMPLATE",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #body = :body",
      }
    `);
  });
  test('writeLaunches, the first time and later', async () => {
    const written = async (version: number) =>
      lastOf(async ({ jobs }) => jobs.writeLaunches(uid, { row: 12, version, slots: [] }, at(1)));
    expect(shown(await written(0))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_not_exists(#pk) OR #ttl <= :0",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#pk": "pk",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:1800000000",
          ":body": "B:(packed)",
          ":by": "S:token-1",
          ":ttl": "N:1800000001",
          ":v": "N:1",
          ":version": "N:1",
        },
        "Key": {
          "pk": "S:JOB#u-1",
          "sk": "S:LAUNCH#000012",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #body = :body, #ttl = :ttl",
      }
    `);
    expect((await written(3))['ConditionExpression']).toMatchInlineSnapshot(`"#version = :0 AND #ttl > :1"`);
  });
  test('feed.append', async () => {
    const entries = [anEntry(uid, 0, 1), anEntry(uid, 3, 9)];
    const append = async ({ feed }: Store) => {
      await feed.head();
      await feed.append(entries, T0);
    };
    const stored = [aRow('FEED#Job', 'HEAD', { number: { N: '41' } })];
    expect(shown(await lastOf(append, { stored }))).toMatchInlineSnapshot(`
      {
        "ClientRequestToken": "token-1",
        "TransactItems": [
          {
            "Update": {
              "ConditionExpression": "#number = :0",
              "ExpressionAttributeNames": {
                "#number": "number",
                "#v": "v",
              },
              "ExpressionAttributeValues": {
                ":0": "N:41",
                ":number": "N:42",
                ":v": "N:1",
              },
              "Key": {
                "pk": "S:FEED#Job",
                "sk": "S:HEAD",
              },
              "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
              "TableName": "muster",
              "UpdateExpression": "SET #v = :v, #number = :number",
            },
          },
          {
            "Put": {
              "Item": {
                "at": "N:1800000000000",
                "body": "B:(packed)",
                "pk": "S:FEED#Job",
                "sk": "S:000000000000042",
                "ttl": "N:1800007200",
                "v": "N:1",
              },
              "TableName": "muster",
            },
          },
          {
            "Update": {
              "ConditionExpression": "attribute_not_exists(#pk)",
              "ExpressionAttributeNames": {
                "#at": "at",
                "#by": "by",
                "#number": "number",
                "#pk": "pk",
                "#seq": "seq",
                "#v": "v",
                "#version": "version",
              },
              "ExpressionAttributeValues": {
                ":at": "N:1800000000000",
                ":by": "S:token-1",
                ":number": "N:42",
                ":seq": "N:10",
                ":v": "N:1",
                ":version": "N:1",
              },
              "Key": {
                "pk": "S:JOB#u-1",
                "sk": "S:MARK",
              },
              "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
              "TableName": "muster",
              "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #seq = :seq, #number = :number, #at = :at",
            },
          },
          {
            "Update": {
              "ConditionExpression": "#version = :0",
              "ExpressionAttributeNames": {
                "#at": "at",
                "#by": "by",
                "#number": "number",
                "#seq": "seq",
                "#v": "v",
                "#version": "version",
              },
              "ExpressionAttributeValues": {
                ":0": "N:3",
                ":at": "N:1800000000000",
                ":by": "S:token-1",
                ":number": "N:42",
                ":seq": "N:90",
                ":v": "N:1",
                ":version": "N:9",
              },
              "Key": {
                "pk": "S:JOB#u-1",
                "sk": "S:MARK",
              },
              "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
              "TableName": "muster",
              "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #seq = :seq, #number = :number, #at = :at",
            },
          },
        ],
      }
    `);
  });
  test('limits.commit', async () => {
    expect(
      shown(
        await lastOf(async ({ limits }) => limits.commit('launch', 7, { nextFreeAt: T0, cut: null, recent: null })),
      ),
    ).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :0",
        "ExpressionAttributeNames": {
          "#by": "by",
          "#nextFreeAt": "nextFreeAt",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":0": "N:7",
          ":by": "S:token-1",
          ":nextFreeAt": "N:1800000000000",
          ":v": "N:1",
          ":version": "N:8",
        },
        "Key": {
          "pk": "S:LIMIT#launch",
          "sk": "S:LIMIT",
        },
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "TableName": "muster",
        "UpdateExpression": "SET #v = :v, #version = :version, #by = :by, #nextFreeAt = :nextFreeAt",
      }
    `);
  });
  test.each([
    ['a new object', 'ADDED', 0],
    ['a change of an object', 'MODIFIED', 7],
    ['a removal', 'DELETED', 7],
  ] as const)('objects.commit: %s', async (_, type, was) => {
    const document = type === 'DELETED' ? null : A_DOCUMENT;
    const key = { pk: 'OBJECT#Service', sk: 'default!c' };
    const stored = [
      aRow('OBJECT#Namespace', '!default', { version: { N: '5' } }, freshNamespace('default', 'home', T0)),
      ...(was === 0 ? [] : [aRow(key.pk, key.sk, { version: { N: String(was) } }, A_DOCUMENT)]),
    ];
    // The first try shows where the head is.
    const refusals = [aRow('FEED#Service', 'HEAD', { number: { N: '41' } }), null, null];
    const commit = async ({ objects }: Store) => objects.commit('Service', { key: CRON, was, document });
    expect(shown(await lastOf(commit, { stored, refusals }))).toMatchSnapshot();
  });
});

describe('requests that read a range', () => {
  test('due alarms', async () => {
    expect(
      shown(await lastOf(async ({ jobs }) => jobs.dueJobs({ now: at(59_999), after: '3', limit: 100 }))),
    ).toMatchInlineSnapshot(`
      {
        "ExpressionAttributeNames": {
          "#minute": "alarmMinute",
          "#shard": "alarmShard",
        },
        "ExpressionAttributeValues": {
          ":minute": "N:30000000.999983333",
          ":shard": "N:3",
        },
        "IndexName": "alarms",
        "KeyConditionExpression": "#shard = :shard AND #minute <= :minute",
        "Limit": 100,
        "TableName": "muster",
      }
    `);
  });
  test('a scheduler’s row enters the index of alarms, and leaves it', async () => {
    const written = async (alarmAt: typeof T0 | null) =>
      lastOf(async ({ crons }) => crons.write(aSchedulerRow({ version: 3, alarmAt })));
    const armed = await written(at(90_000));
    expect(armed).toMatchObject({
      Key: { pk: { S: 'CRON#cron-1' }, sk: { S: 'STATE' } },
      ConditionExpression: '#version = :0',
      ExpressionAttributeValues: { ':0': { N: '3' }, ':version': { N: '4' }, ':alarmShard': { N: '4' } },
    });
    expect(armed['ExpressionAttributeValues']).toHaveProperty(':alarmMinute', { N: String(T0 / 60_000 + 1.5) });
    expect((await written(null))['UpdateExpression']).toMatch(/REMOVE #alarmShard, #alarmMinute$/);
  });

  test('names', async () => {
    expect(
      shown(
        await lastOf(async ({ jobs }) => jobs.listJobs({ namespace: 'default', after: 'default/work', limit: 49 })),
      ),
    ).toMatchInlineSnapshot(`
      {
        "ConsistentRead": true,
        "ExpressionAttributeNames": {
          "#pk": "pk",
          "#sk": "sk",
        },
        "ExpressionAttributeValues": {
          ":from": "S:NAME#Job#work!",
          ":pk": "S:NS#default",
          ":to": "S:NAME#Job#~",
        },
        "KeyConditionExpression": "#pk = :pk AND #sk BETWEEN :from AND :to",
        "Limit": 50,
        "TableName": "muster",
      }
    `);
  });
  test('the feed', async () => {
    expect(
      shown((await lastOf(async ({ feed }) => feed.read(41, 50)))['ExpressionAttributeValues']),
    ).toMatchInlineSnapshot(`
      {
        ":from": "S:000000000000042",
        ":pk": "S:FEED#Job",
        ":to": "S:HEAD",
      }
    `);
  });
});
