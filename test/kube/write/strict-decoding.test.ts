import { describe, expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';
import { APPLY, JOBS, JSON_PATCH, MERGE, STRATEGIC, job, send } from './a-client.ts';

const YAML = 'application/yaml';
const CONTAINER = 'spec.template.spec.containers[0]';

/** The documents of Kubernetes' own test (test/integration/apiserver/field_validation_test.go), with Jobs for its Deployments. */
const JSON_BODY = `
{
  "apiVersion": "batch/v1",
  "kind": "Job",
  "metadata": { "name": "dupename", "name": "sums", "labels": {"app": "nginx"}, "unknownMeta": "metaVal" },
  "spec": {
    "unknown1": "val1",
    "unknownDupe": "valDupe",
    "unknownDupe": "valDupe2",
    "suspend": true,
    "suspend": false,
    "template": {
      "metadata": { "labels": { "app": "nginx" } },
      "spec": {
        "restartPolicy": "Never",
        "containers": [{
          "name": "nginx",
          "image": "nginx:latest",
          "unknownNested": "val1",
          "imagePullPolicy": "Always",
          "imagePullPolicy": "Always"
        }]
      }
    }
  }
}`;

const YAML_BODY = `apiVersion: batch/v1
kind: Job
metadata:
  name: dupename
  name: sums
  unknownMeta: metaVal
  labels:
    app: nginx
spec:
  unknown1: val1
  unknownDupe: valDupe
  unknownDupe: valDupe2
  suspend: true
  suspend: false
  template:
    metadata:
      labels:
        app: nginx
    spec:
      restartPolicy: Never
      containers:
      - name: nginx
        image: nginx:latest
        unknownNested: val1
        imagePullPolicy: Always
        imagePullPolicy: Always`;

const MERGE_BODY = `{
  "spec": {
    "unknown1": "val1",
    "unknownDupe": "valDupe",
    "unknownDupe": "valDupe2",
    "suspend": true,
    "suspend": true,
    "template": {
      "spec": {
        "containers": [{
          "name": "main",
          "image": "busybox",
          "unknownNested": "val1",
          "imagePullPolicy": "Always",
          "imagePullPolicy": "Always"
        }]
      }
    }
  }
}`;

const JSON_PATCH_BODY = `[
  {"op": "add", "path": "/spec/unknown1", "value": "val1", "foo":"bar"},
  {"op": "add", "path": "/spec/unknown2", "path": "/spec/unknown3", "value": {"a": 1, "a": 1}},
  {"op": "add", "path": "/spec/unknownDupe", "value": "valDupe"},
  {"op": "add", "path": "/spec/unknownDupe", "value": "valDupe2"},
  {"op": "add", "path": "/spec/suspend", "value": true},
  {"op": "add", "path": "/spec/template/spec/containers/0/unknownNested", "value": "val1"}
]`;

const IN_JSON = [
  'duplicate field "metadata.name"',
  'unknown field "metadata.unknownMeta"',
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknownDupe"',
  'duplicate field "spec.suspend"',
  `unknown field "${CONTAINER}.unknownNested"`,
  `duplicate field "${CONTAINER}.imagePullPolicy"`,
];
const LINES = [
  'line 5: key "name" already set in map',
  'line 12: key "unknownDupe" already set in map',
  'line 14: key "suspend" already set in map',
  'line 26: key "imagePullPolicy" already set in map',
];
const SORTED = [
  `unknown field "${CONTAINER}.unknownNested"`,
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknownDupe"',
];
const IN_PATCH = [
  'duplicate field "spec.unknownDupe"',
  'duplicate field "spec.suspend"',
  `duplicate field "${CONTAINER}.imagePullPolicy"`,
  ...SORTED,
];
const IN_JSON_PATCH = [
  'json patch unknown field "[0].foo"',
  'json patch duplicate field "[1].path"',
  'json patch duplicate field "[1].value.a"',
  SORTED[0],
  'unknown field "spec.unknown1"',
  'unknown field "spec.unknown3"',
  'unknown field "spec.unknownDupe"',
];

/** The texts of an answer's warnings. */
const texts = (warnings: readonly string[]): readonly string[] =>
  warnings.map((each) => String(JSON.parse(each.slice(each.indexOf('"')).replace(/,\s*$/, ''))));

describe('strict decoding names all faults, in the order of Kubernetes', () => {
  test.each([
    ['JSON', 'application/json', JSON_BODY, IN_JSON.join(', '), IN_JSON],
    [
      'YAML',
      YAML,
      YAML_BODY,
      `yaml: unmarshal errors:\n  ${LINES.join('\n  ')}, unknown field "metadata.unknownMeta", ${SORTED.join(', ')}`,
      [...LINES, 'unknown field "metadata.unknownMeta"', ...SORTED],
    ],
  ])('of an object in %s', async (_, type, text, strictly, warned) => {
    const world = await aWorld();
    const created = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, text, type);
    expect([created.code, created.body.message]).toEqual([
      400,
      `Job in version "v1" cannot be handled as a Job: strict decoding error: ${strictly}`,
    ]);
    const dry = await send(world, 'POST', `${JOBS}?dryRun=All`, text, type);
    expect([dry.code, texts(dry.warnings)]).toEqual([201, warned]);
    expect((await send(world, 'POST', `${JOBS}?fieldValidation=Ignore`, text, type)).warnings).toEqual([]);
    const put = await send(world, 'PUT', `${JOBS}/sums?fieldValidation=Strict`, text, type);
    expect([put.code, put.body.message]).toEqual([400, created.body.message]);
  });

  test.each([
    ['merge', MERGE, MERGE_BODY, IN_PATCH],
    ['strategic merge', STRATEGIC, MERGE_BODY, IN_PATCH],
    ['JSON', JSON_PATCH, JSON_PATCH_BODY, IN_JSON_PATCH],
  ])('of a %s patch', async (_, type, text, all) => {
    const world = await aWorld();
    await send(world, 'POST', JOBS, job('sums'));
    const { code, body } = await send(world, 'PATCH', `${JOBS}/sums?fieldValidation=Strict`, text, type);
    expect([code, body.message]).toEqual([422, expect.stringMatching(/^ "" is invalid: patch: Invalid value: /)]);
    expect(body.message.endsWith(`: strict decoding error: ${all.join(', ')}`)).toBe(true);
    const warned = await send(world, 'PATCH', `${JOBS}/sums?dryRun=All`, text, type);
    expect([warned.code, texts(warned.warnings)]).toEqual([200, all]);
  });

  test('of a configuration that is applied, in YAML and in JSON', async () => {
    const world = await aWorld();
    const yaml = YAML_BODY.replace(/.*unknown.*\n/g, '');
    const path = `${JOBS}/sums?fieldManager=me`;
    const strictly = await send(world, 'PATCH', `${path}&fieldValidation=Strict`, yaml, APPLY);
    expect([strictly.code, strictly.body.message]).toEqual([
      400,
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "name" already set in map\n  line 10: key "suspend" already set in map\n  line 21: key "imagePullPolicy" already set in map',
    ]);
    const json = JSON_BODY.trim()
      .replace(', "unknownMeta": "metaVal"', '')
      .replace(/.*"unknown.*\n/g, '');
    const warned = await send(world, 'PATCH', path, json, APPLY);
    expect([warned.code, texts(warned.warnings)]).toEqual([
      201,
      [
        'line 4: key "name" already set in map',
        'line 7: key "suspend" already set in map',
        'line 16: key "imagePullPolicy" already set in map',
      ],
    ]);
  });

  test('duplicate keys of what is applied are named before unknown fields', async () => {
    const world = await aWorld();
    const path = `${JOBS}/sums?fieldManager=me&fieldValidation=Strict`;
    const { code, body } = await send(world, 'PATCH', path, YAML_BODY, APPLY);
    expect([code, body.message]).toEqual([
      400,
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${LINES.join('\n  ')}`,
    ]);
  });

  test('an unknown field before a duplicate (the Conformance spec of a typed object)', async () => {
    const world = await aWorld();
    const text = JSON.stringify(job('sums', { unknownField: 'foo', parallelism: 2 })).replace(
      '"parallelism":2',
      '"parallelism":2,"parallelism":3',
    );
    const { body } = await send(world, 'POST', `${JOBS}?fieldManager=mgr&fieldValidation=Strict`, text);
    expect(body.message).toContain(
      'strict decoding error: unknown field "spec.unknownField", duplicate field "spec.parallelism"',
    );
  });

  test('what is in an unknown field, or in the first of two, is looked at as Kubernetes does', async () => {
    const world = await aWorld();
    const text = JSON.stringify(job('sums')).replace(
      '"spec":{',
      '"spec":{"zzz":1,"zzz":2},"odd":{"a":1,"a":1},"metadata":{"labels":{"a":"b","a":"c"}},"spec":{',
    );
    expect((await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, text)).body.message).toMatch(
      /error: unknown field "spec\.zzz", unknown field "odd", duplicate field "metadata", duplicate field "metadata\.labels\.a", duplicate field "spec"$/,
    );
  });

  test('a hundred are named, and the others counted', async () => {
    const world = await aWorld();
    const odd = Array.from({ length: 150 }, (_, i) => `"odd${i}":1`).join(',');
    const text = JSON.stringify(job('sums')).replace('"spec":{', `"spec":{${odd},`);
    const { body } = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, text);
    expect(body.message.match(/unknown field/g)).toHaveLength(100);
    expect(body.message).toMatch(/unknown field "spec\.odd99", and 50 more$/);
    const yaml = YAML_BODY.replace('  suspend: true\n', '  suspend: true\n'.repeat(130));
    const strictly = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, yaml, YAML);
    expect(strictly.body.message.match(/already set/g)?.length).toBeLessThanOrEqual(100);
  });

  test('another kind and a wrong type are named before what is unknown', async () => {
    const world = await aWorld();
    const foreign = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, { ...job('x'), kind: 'Pod', odd: 1 });
    expect(foreign.body.message).toContain('no kind "Pod" is accepted here');
    const wrong = await send(world, 'POST', `${JOBS}?fieldValidation=Strict`, job('x', { parallelism: 'a', odd: 1 }));
    expect(wrong.body.message).toMatch(/as a Job: json: cannot unmarshal string into field spec\.parallelism/);
  });
});
