import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { writeRequest as cronRequest } from '../../shared/adapters/aws/dynamodb/dynamo-crons.ts';
import { FRESH_CRON } from '../../shared/domain/cron/cron-state.ts';
import { dueRequest } from '../../shared/adapters/aws/dynamodb/dynamo-alarms.ts';
import { announcedRequest } from '../../shared/adapters/aws/dynamodb/dynamo-announced.ts';
import { attemptWrites } from '../../shared/adapters/aws/dynamodb/dynamo-attempts.ts';
import {
  deletionRequest,
  foldRequest,
  passRequest,
  specRequest,
} from '../../shared/adapters/aws/dynamodb/dynamo-commit.ts';
import { appendRequest } from '../../shared/adapters/aws/dynamodb/dynamo-feed.ts';
import { feedPageRequest } from '../../shared/adapters/aws/dynamodb/dynamo-feed-page.ts';
import { hostsRequest, reservedRequest } from '../../shared/adapters/aws/dynamodb/dynamo-hosts.ts';
import { createRequest, expireRequests } from '../../shared/adapters/aws/dynamodb/dynamo-jobs.ts';
import { launchesRequest, templatesRequest } from '../../shared/adapters/aws/dynamodb/dynamo-launches.ts';
import { leaseRequest } from '../../shared/adapters/aws/dynamodb/dynamo-limits.ts';
import { commitRequest } from '../../shared/adapters/aws/dynamodb/objects/dynamo-object-commits.ts';
import { packedJson } from '../../shared/adapters/aws/dynamodb/dynamo-row.ts';
import { namesRequest } from '../../shared/adapters/aws/dynamodb/dynamo-names.ts';
import { T0, aChunk, aNewJob, anAttempt, anEntry, at, following } from './store-under-test.ts';

// The expressions of each write decide its races, so this test fixes them word for word.

const { spec, status, uid } = aNewJob({ uid: 'u-1' });
const CRON = { namespace: 'default', name: 'c' };
const A_DOCUMENT = { metadata: { uid: 'u-1' } };
const next = following(status, '', { alarms: [at(1)] });

/** Attribute values as `S:text` and `N:number`, without the bytes of bodies. */
const shown = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, part: unknown) => (isAttribute(part) ? brief(part) : part)));
const isAttribute = (part: unknown): part is AttributeValue =>
  typeof part === 'object' && part !== null && Object.keys(part).length === 1 && /^[SNB]$/.test(Object.keys(part)[0]!);
const brief = (value: AttributeValue): string =>
  value.B === undefined ? `${Object.keys(value)[0]}:${value.S ?? value.N}` : 'B:(packed)';

test('no range of names ends before it begins, whatever a client sends as the last name', () => {
  for (const after of [null, '', 'a', 'z.z']) {
    const values = namesRequest('muster', 'default', after, 9)?.ExpressionAttributeValues;
    expect(String(values?.[':from'].S) < String(values?.[':to'].S)).toBe(true);
  }
  for (const after of ['~', '~~', '\u00ff', '\u{1f600}'])
    expect(namesRequest('muster', 'default', after, 9)).toBeNull();
});

describe('requests that write', () => {
  test('reserve', () => {
    expect(shown(reservedRequest('muster', 'token', 3, [{ uid, count: 3, at: T0 }]))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :was",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":body": "B:(packed)",
          ":by": "S:token",
          ":v": "N:1",
          ":version": "N:4",
          ":was": "N:3",
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

  test('writeAnnounced', () => {
    expect(shown(announcedRequest('muster', uid, 7, at(60_000)))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_not_exists(#pk) OR #version < :version",
        "ExpressionAttributeNames": {
          "#pk": "pk",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
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

  test('writeHosts', () => {
    const hosts = [{ index: 0, serviceId: 'srv-1', tasks: [] }];
    const request = { tableName: 'muster', token: 'token', uid, expireAt: at(60_000), now: T0 };
    expect(shown(hostsRequest({ ...request, row: { row: 0, version: 2, hosts } }))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :was AND #ttl > :now",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":body": "B:(packed)",
          ":by": "S:token",
          ":now": "N:1800000000",
          ":ttl": "N:1800000060",
          ":v": "N:1",
          ":version": "N:3",
          ":was": "N:2",
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
    const { ConditionExpression } = hostsRequest({ ...request, row: { row: 0, version: 0, hosts } });
    expect(ConditionExpression).toBe('attribute_not_exists(#pk) OR #ttl <= :now');
  });

  test('commitPass', () => {
    expect(shown(passRequest('muster', 'token', uid, next))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :was",
        "ExpressionAttributeNames": {
          "#alarmMinute": "alarmMinute",
          "#alarmShard": "alarmShard",
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":alarmMinute": "N:30000001",
          ":alarmShard": "N:3",
          ":body": "B:(packed)",
          ":by": "S:token",
          ":v": "N:1",
          ":version": "N:2",
          ":was": "N:1",
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
  test('commitPass of a Job that waits for nothing', () => {
    expect(shown(passRequest('muster', 'token', uid, { ...next, alarms: [] }))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :was",
        "ExpressionAttributeNames": {
          "#alarmMinute": "alarmMinute",
          "#alarmShard": "alarmShard",
          "#body": "body",
          "#by": "by",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":body": "B:(packed)",
          ":by": "S:token",
          ":v": "N:1",
          ":version": "N:2",
          ":was": "N:1",
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
  test('commitPass with a chunk that is new and one that is not', () => {
    const chunks = [aChunk(status, 0, 0, { attempt: 1 }), aChunk({ ...status, size: 9_000 }, 1, 6, { attempt: 1 })];
    expect(shown(foldRequest('muster', 'token', uid, next, chunks).TransactItems?.slice(1))).toMatchInlineSnapshot(`
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
            "ConditionExpression": "#version = :was",
            "ExpressionAttributeNames": {
              "#body": "body",
              "#v": "v",
              "#version": "version",
            },
            "ExpressionAttributeValues": {
              ":body": "B:(packed)",
              ":v": "N:1",
              ":version": "N:7",
              ":was": "N:6",
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
  test('createJob', () => {
    expect(shown(createRequest('muster', 'token', spec, status))).toMatchInlineSnapshot(`
      {
        "ClientRequestToken": "token",
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
                "by": "S:token",
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
  test('commitSpec', () => {
    expect(shown(specRequest('muster', 'token', spec, next).TransactItems[1])).toMatchInlineSnapshot(`
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
  test('commitDeletion', () => {
    expect(shown(deletionRequest('muster', 'token', spec.identity, next).TransactItems[1])).toMatchInlineSnapshot(`
      {
        "Delete": {
          "ConditionExpression": "attribute_not_exists(#pk) OR #uid = :uid",
          "ExpressionAttributeNames": {
            "#pk": "pk",
            "#uid": "uid",
          },
          "ExpressionAttributeValues": {
            ":uid": "S:u-1",
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
  test('expireJob', () => {
    const requests = expireRequests('muster', uid, 2, false, at(1));
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
    expect(requests.map(({ Key }) => shown(Key?.['sk']))).toMatchInlineSnapshot(`
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
  test('writeAttempts', () => {
    expect(shown(attemptWrites(uid, [anAttempt(4_100, 2)], at(0)))).toMatchInlineSnapshot(`
      [
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
      ]
    `);
  });
  test('addTemplate', () => {
    const template = { taskDefinition: 'td:1', containers: [], placement: '' };
    expect(shown(templatesRequest('muster', uid, [template]))).toMatchInlineSnapshot(`
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
  test('writeLaunches, the first time and later', () => {
    const row = { row: 12, version: 0, slots: [] };
    expect(shown(launchesRequest('muster', 'token', uid, row, at(1), T0))).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "attribute_not_exists(#pk) OR #ttl <= :now",
        "ExpressionAttributeNames": {
          "#body": "body",
          "#by": "by",
          "#pk": "pk",
          "#ttl": "ttl",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":body": "B:(packed)",
          ":by": "S:token",
          ":now": "N:1800000000",
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
    const later = launchesRequest('muster', 'token', uid, { ...row, version: 3 }, at(1), T0);
    expect(later.ConditionExpression).toMatchInlineSnapshot(`"#version = :was AND #ttl > :now"`);
  });
  test('feed.append', () => {
    const entries = [anEntry(uid, 0, 1), anEntry(uid, 3, 9)];
    expect(shown(appendRequest('muster', 'token', 41, entries, T0, at(1)))).toMatchInlineSnapshot(`
      {
        "ClientRequestToken": "token",
        "TransactItems": [
          {
            "Update": {
              "ConditionExpression": "#number = :was",
              "ExpressionAttributeNames": {
                "#number": "number",
                "#v": "v",
              },
              "ExpressionAttributeValues": {
                ":number": "N:42",
                ":v": "N:1",
                ":was": "N:41",
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
                "ttl": "N:1800000001",
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
                ":by": "S:token",
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
              "ConditionExpression": "#version = :was",
              "ExpressionAttributeNames": {
                "#at": "at",
                "#by": "by",
                "#number": "number",
                "#seq": "seq",
                "#v": "v",
                "#version": "version",
              },
              "ExpressionAttributeValues": {
                ":at": "N:1800000000000",
                ":by": "S:token",
                ":number": "N:42",
                ":seq": "N:90",
                ":v": "N:1",
                ":version": "N:9",
                ":was": "N:3",
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
  test('limits.commit', () => {
    expect(
      shown(leaseRequest('muster', 'token', 'launch', 7, { nextFreeAt: T0, cut: null, recent: null })),
    ).toMatchInlineSnapshot(`
      {
        "ConditionExpression": "#version = :was",
        "ExpressionAttributeNames": {
          "#by": "by",
          "#nextFreeAt": "nextFreeAt",
          "#v": "v",
          "#version": "version",
        },
        "ExpressionAttributeValues": {
          ":by": "S:token",
          ":nextFreeAt": "N:1800000000000",
          ":v": "N:1",
          ":version": "N:8",
          ":was": "N:7",
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
  ] as const)('objects.commit: %s', (_, type, was) => {
    const object = packedJson(A_DOCUMENT);
    const row = packedJson({ type, key: CRON, document: A_DOCUMENT });
    const request = commitRequest('muster', {
      token: 'token',
      kind: 'CronJob',
      head: 41,
      orders: [{ by: 'by', type, key: CRON, was, row, object: type === 'DELETED' ? null : object }],
      homes: was === 0 ? [{ name: 'home', version: 5 }] : [],
      expireAt: at(1),
    });
    expect(shown(request)).toMatchSnapshot();
  });
});

describe('requests that read a range', () => {
  test('due alarms', () => {
    expect(shown(dueRequest('muster', { shard: 3, key: null }, at(59_999), 100))).toMatchInlineSnapshot(`
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
  test('a scheduler’s row enters the index of alarms, and leaves it', () => {
    const key = { namespace: 'default', name: 'nightly' };
    const row = { kind: 'CronJob', uid: 'cron-1', key, version: 3, state: FRESH_CRON } as const;
    const armed = cronRequest('muster', 'token', { ...row, alarmAt: at(90_000) });
    expect(armed).toMatchObject({
      Key: { pk: { S: 'CRON#cron-1' }, sk: { S: 'STATE' } },
      ConditionExpression: '#version = :was',
      ExpressionAttributeValues: { ':was': { N: '3' }, ':version': { N: '4' }, ':alarmShard': { N: '4' } },
    });
    expect(armed.ExpressionAttributeValues).toHaveProperty(':alarmMinute', { N: String(T0 / 60_000 + 1.5) });
    expect(cronRequest('muster', 'token', { ...row, alarmAt: null }).UpdateExpression).toMatch(
      /REMOVE #alarmShard, #alarmMinute$/,
    );
  });

  test('names', () => {
    expect(shown(namesRequest('muster', 'default', 'work', 50))).toMatchInlineSnapshot(`
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
  test('the feed', () => {
    expect(shown(feedPageRequest('muster', 'FEED#Job', 41, 50).ExpressionAttributeValues)).toMatchInlineSnapshot(`
      {
        ":from": "S:000000000000042",
        ":pk": "S:FEED#Job",
        ":to": "S:HEAD",
      }
    `);
  });
});
