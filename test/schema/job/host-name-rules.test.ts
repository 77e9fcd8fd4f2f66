import { describe, expect, test } from 'vitest';
import type { HostsOffer } from '../../../shared/schema/job/host-name-rules.ts';
import { type Admission, admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, faultLines, jobDocument } from '../../support/job-document.ts';

const AT = 'spec.template.spec.subdomain';
const context = { uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict' } as const;

type Wish = {
  readonly spec?: object;
  readonly subdomain?: unknown;
  readonly name?: string;
  readonly namespace?: string;
  /** The program. */
  readonly says?: string;
  readonly hosts?: HostsOffer;
};

const documentFor = ({ spec, subdomain = 'workers', name = 'train', says }: Wish) => {
  const containers = [
    { name: 'main', image: 'busybox', ...(says === undefined ? {} : { command: ['sh', '-c', says] }) },
  ];
  return jobDocument({ completionMode: 'Indexed', completions: 3, ...spec }, { name }, { subdomain, containers });
};
const admit = (wish: Wish): Admission =>
  admitJob(documentFor(wish), {
    ...context,
    namespace: wish.namespace ?? 'default',
    ...(wish.hosts === undefined ? {} : { hosts: wish.hosts }),
  });
const lines = (wish: Wish) => faultLines(admit(wish));

function admitted(wish: Wish = {}) {
  const admission = admit(wish);
  if (admission.kind !== 'ok') throw new Error(faultLines(admission).join('\n'));
  return admission;
}

describe('a subdomain', () => {
  test('of an Indexed Job is taken and stored; an empty one says nothing', () => {
    expect(admitted().manifest.spec.template.spec.subdomain).toBe('workers');
    expect(admitted({ subdomain: '' }).manifest.spec.template.spec).not.toHaveProperty('subdomain');
    expect(lines({ subdomain: '', spec: { completionMode: 'NonIndexed' } })).toEqual([]);
  });

  test('is a DNS label, in Kubernetes’ words', () => {
    expect(lines({ subdomain: 'a.b' })).toEqual([`${AT}: Invalid value: "a.b": must not contain dots`]);
    expect(lines({ subdomain: 'x'.repeat(64) })).toEqual([
      `${AT}: Invalid value: "${'x'.repeat(64)}": must be no more than 63 characters`,
    ]);
    expect(lines({ subdomain: 'Work' })).toEqual([
      `${AT}: Invalid value: "Work": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ]);
  });

  test('is a text', () => {
    expect(lines({ subdomain: 5 })).toEqual([expect.stringMatching(/^400 .*subdomain/)]);
  });

  test('is refused where there are no indexes', () => {
    expect(lines({ spec: { completionMode: 'NonIndexed' } })).toEqual([
      `${AT}: Forbidden: not supported by this version of Muster; set spec.completionMode to Indexed, because only indexes have names, or leave it out`,
    ]);
  });

  test('is refused where the installation gives no names', () => {
    expect(lines({ hosts: null })).toEqual([
      `${AT}: Forbidden: this installation has no names for tasks; leave it out, or deploy Muster with hostnames (docs/hostnames.md)`,
    ]);
    expect(lines({ hosts: null, subdomain: '' })).toEqual([]);
  });
});

describe('names that AWS Cloud Map would not take', () => {
  test('a service’s name may have 127 characters, and has', () => {
    const wish = { subdomain: 's'.repeat(63), name: 'n'.repeat(50), spec: { completions: 1000 } };
    expect(lines({ ...wish, namespace: 'team-123' })).toEqual([]); // 50 + 4 + 1 + 63 + 1 + 8
    expect(lines({ ...wish, namespace: 'team-1234' })).toEqual([
      `${AT}: Invalid value: "${wish.subdomain}": the name ${wish.name}-999.${wish.subdomain}.team-1234 has 128 characters, and AWS Cloud Map allows 127: shorten it, or the Job's name or namespace`,
    ]);
  });

  test('an installation holds a number of names', () => {
    expect(lines({ spec: { completions: 2000, parallelism: 2 } })).toEqual([]);
    const refused = (n: number, max: number) => [
      `spec.completions: Invalid value: ${n}: must be less than or equal to ${max} when ${AT} is set: each index needs a name, and AWS Cloud Map holds ${max} for all Jobs`,
    ];
    expect(lines({ spec: { completions: 2001 } })).toEqual(refused(2001, 2000));
    expect(lines({ spec: { completions: 2001 }, hosts: { max: 5000 } })).toEqual([]);
    expect(lines({ spec: { completions: 11 }, hosts: { max: 10 } })).toEqual(refused(11, 10));
    expect(lines({ spec: { completions: 2001 }, subdomain: '' })).toEqual([]);
  });
});

describe('a change of a Job that has names', () => {
  const change = (spec: object, hosts?: HostsOffer) => {
    const { manifest } = admitted();
    const stored = { manifest, uid: UID, started: true, deleting: false };
    const document = documentOf(stored);
    return faultLines(
      admitJobUpdate(
        stored,
        { ...document, spec: { ...document.spec, ...spec } },
        { fieldValidation: 'Strict', ...(hosts === undefined ? {} : { hosts }) },
      ),
    );
  };

  test('cannot grow beyond what there is', () => {
    expect(change({ completions: 2000, parallelism: 2000 })).toEqual([]);
    expect(change({ completions: 2001, parallelism: 2001 })).toEqual([
      expect.stringMatching(/^spec\.completions: Invalid value: 2001: must be less than or equal to 2000 when/),
    ]);
  });

  test('is not refused for names that it has already', () => {
    expect(change({ suspend: true }, null)).toEqual([]);
    expect(change({ suspend: true }, { max: 2 })).toEqual([]);
    expect(change({ completions: 4, parallelism: 4 }, { max: 2 })).toEqual([
      expect.stringMatching(/^spec\.completions: Invalid value: 4: must be less than or equal to 3 when/),
    ]);
  });

  test('cannot rename', () => {
    const { template } = admitted().manifest.spec;
    expect(change({ template: { ...template, spec: { ...template.spec, subdomain: 'others' } } })).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/),
    ]);
  });
});

describe('names that only a search domain makes whole', () => {
  const warnings = (says: string) => admitted({ says }).warnings.filter((text) => text.includes('search domain'));

  test.each([
    'ping train-0.workers',
    'ping "train-${i}.workers"; date',
    'ping train-$i.workers:80',
    'echo train-0.workers.default.muster.internal; ping train-1.workers',
  ])('%s is warned of', (says) =>
    expect(warnings(says)).toEqual([
      `${AT}: tasks have no search domain, so names like JOB-0.workers do not resolve; use full names: printf "$MUSTER_HOSTS_PATTERN" 0`,
    ]),
  );

  test.each([
    'ping train-0.workers.default.muster.internal',
    'printf "$MUSTER_HOSTS_PATTERN" 0',
    'cat ./.workers',
    'cat a.workers-1 b.workersx',
  ])('%s is not', (says) => expect(warnings(says)).toEqual([]));
});
