import { describe, expect, test } from 'vitest';
import { UID, jobDocument } from '../../../../../test/support/job-document.ts';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import type { HostsOffer } from '../../../../schema/job/host-name-rules.ts';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { admitCronJobUpdate } from '../../schema/cron-update.ts';

const AT = 'spec.template.spec.subdomain';
const context = { uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict' } as const;

type Wish = { readonly spec?: object; readonly subdomain?: unknown; readonly name?: string };

const documentFor = ({ spec, subdomain = 'workers', name = 'train' }: Wish) =>
  jobDocument(
    { completionMode: 'Indexed', completions: 3, ...spec },
    { name },
    { subdomain, containers: [{ name: 'main', image: 'busybox' }] },
  );

describe('a CronJob’s template', () => {
  const cronJob = (wish: Wish) => {
    const { metadata, spec } = documentFor(wish);
    return {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata,
      spec: { schedule: '0 3 * * *', jobTemplate: { spec } },
    };
  };
  const admission = (wish: Wish, hosts: HostsOffer = { max: 2000 }) =>
    admitCronJob(cronJob(wish), { ...context, namespace: 'default', hosts });
  const cronLines = (wish: Wish, hosts?: HostsOffer): readonly string[] => {
    const admitted = admission(wish, hosts);
    return admitted.kind === 'invalid'
      ? admitted.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`)
      : [admitted.kind];
  };

  test('is asked the same, with its own paths', () => {
    expect(cronLines({})).toEqual(['ok']);
    expect(cronLines({ subdomain: 'a.b', spec: { completions: 2001 } })).toEqual([
      `spec.jobTemplate.${AT}: Invalid value: "a.b": must not contain dots`,
      expect.stringMatching(/^spec\.jobTemplate\.spec\.completions: Invalid value: 2001: must be less/),
    ]);
    expect(cronLines({ spec: { completionMode: 'NonIndexed' } })).toEqual([
      expect.stringMatching(
        /^spec\.jobTemplate\.spec\.template\.spec\.subdomain: Forbidden: .*set spec\.completionMode/,
      ),
    ]);
    expect(cronLines({}, null)).toEqual([expect.stringContaining('this installation has no names')]);
  });

  test('its Jobs’ names are longer than its own', () => {
    const wish = { subdomain: 's'.repeat(63), name: 'n'.repeat(44) };
    // 44 + -00000000 + -2, the subdomain, default
    expect(cronLines(wish)).toEqual(['ok']);
    expect(cronLines({ ...wish, name: 'n'.repeat(45) })).toEqual([
      expect.stringContaining('has 128 characters, and AWS Cloud Map allows 127'),
    ]);
  });

  test('what it had before names were switched off may stay, and be left out', () => {
    const first = admission({});
    if (first.kind !== 'ok') throw new Error(first.kind);
    const stored = { manifest: first.manifest, uid: UID, deleting: false };
    const update = (wish: Wish, hosts: HostsOffer) =>
      admitCronJobUpdate(stored, cronJob(wish), { fieldValidation: 'Strict', hosts }).kind;
    expect(update({ spec: { parallelism: 2 } }, null)).toBe('ok');
    expect(update({ subdomain: '' }, null)).toBe('ok');
    const without = { ...stored, manifest: { ...first.manifest, spec: noSubdomain(first.manifest.spec) } };
    expect(admitCronJobUpdate(without, cronJob({}), { fieldValidation: 'Strict', hosts: null }).kind).toBe('invalid');
  });

  const noSubdomain = <S extends { jobTemplate: { spec: { template: { spec: object } } } }>(spec: S): S => {
    const copy = structuredClone(spec);
    Reflect.deleteProperty(copy.jobTemplate.spec.template.spec, 'subdomain');
    return copy;
  };
});
