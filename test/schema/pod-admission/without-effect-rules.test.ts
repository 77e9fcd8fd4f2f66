import { describe, expect, test } from 'vitest';
import { taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const SPEC = 'spec.template.spec';
const MAIN = `${SPEC}.containers[0]`;
const LATER = 'Forbidden: not supported by this version of Muster';
const pod = (fields: object) => jobDocument({}, {}, fields);
const main = (fields: object) => pod({ containers: [{ name: 'main', image: 'busybox', ...fields }] });
const faults = (document: object) => faultLines(admitDocument(document));

describe('what a Pod says without effect is accepted, kept, and warned of', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'another scheduler',
      pod({ schedulerName: 'volcano' }),
      [`${SPEC}.schedulerName: has no effect: Muster launches the tasks, and Fargate places them`],
    ],
    ['a priority', pod({ priority: 1000 }), [`${SPEC}.priority: has no effect: Fargate has no priorities`]],
    [
      'options of the resolver',
      pod({ dnsConfig: { options: [{ name: 'ndots', value: '2' }] } }),
      [`${SPEC}.dnsConfig.options: has no effect: tasks resolve names as the VPC's resolver does`],
    ],
    [
      'a readiness gate',
      pod({ readinessGates: [{ conditionType: 'example.com/ready' }] }),
      [`${SPEC}.readinessGates: has no effect: nothing routes to a Job, and a Pod is ready when it runs`],
    ],
    [
      'a file for last words',
      main({ terminationMessagePath: '/tmp/last-words' }),
      [
        `${MAIN}.terminationMessagePath: has no effect: nobody reads this file; print the message, with terminationMessagePolicy FallbackToLogsOnError`,
      ],
    ],
  ])('%s', (_, document, expected) => {
    const { manifest, warnings } = admitted(document);
    expect(warnings).toEqual(expected);
    expect(manifest.spec.template.spec).toMatchObject((document as ReturnType<typeof pod>).spec.template.spec);
    const plain = taskDefinitionOf(admitted(main({})).manifest, { hash: () => '' }).containers[0];
    expect(taskDefinitionOf(manifest, { hash: () => '' }).containers[0]?.entryPoint).toEqual(plain?.entryPoint);
  });

  test.each([
    ['the scheduler that every Pod has', pod({ schedulerName: 'default-scheduler', priority: 0 })],
    ['who resolves names as the task does anyway', pod({ dnsPolicy: 'Default', dnsConfig: { searches: [] } })],
    ['how it would be resized', main({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] })],
    ['where the last words are by default', main({ terminationMessagePath: '/dev/termination-log' })],
  ])('but what is so anyway needs no words: %s', (_, document) => {
    expect(admitted(document).warnings).toEqual([]);
  });
});

test('what would find other hosts is refused', () => {
  expect(faults(pod({ dnsConfig: { nameservers: ['10.0.0.2'], searches: ['example.com'] } }))).toEqual([
    `${SPEC}.dnsConfig.nameservers: ${LATER}; leave it out: Fargate asks the VPC's name servers`,
    `${SPEC}.dnsConfig.searches: ${LATER}; leave it out, and write whole names: Fargate has no search domain`,
  ]);
  expect(faults(pod({ dnsPolicy: 'None' }))).toEqual([`${SPEC}.dnsPolicy: ${LATER}; leave it out`]);
  expect(faults(pod({ hostAliases: [{ ip: '127.0.0.1', hostnames: ['a'] }] }))).toEqual([
    `${SPEC}.hostAliases: ${LATER}; leave it out: Fargate does not allow extra hosts`,
  ]);
});

test("what no cluster takes is refused in Kubernetes' words", () => {
  expect(faults(pod({ dnsConfig: { options: [{ value: '2' }] }, readinessGates: [{ conditionType: 'a b' }] }))).toEqual(
    [
      `${SPEC}.dnsConfig.options[0]: Required value: must not be empty`,
      expect.stringMatching(/readinessGates\[0\]\.conditionType: Invalid value: "a b": name part must consist of/),
    ],
  );
  const resize = (...resizePolicy: object[]) => faults(main({ resizePolicy }));
  const AT = `${MAIN}.resizePolicy`;
  expect(resize({ resourceName: 'disk', restartPolicy: 'Never' })).toEqual([
    `${AT}: Unsupported value: "disk": supported values: "cpu", "memory"`,
    `${AT}: Unsupported value: "Never": supported values: "NotRequired", "RestartContainer"`,
  ]);
  expect(resize({}, { resourceName: 'cpu', restartPolicy: 'RestartContainer' })).toEqual([
    `${AT}: Required value`,
    `${AT}: Required value`,
    `${AT}: Invalid value: "RestartContainer": must be 'NotRequired' when \`restartPolicy\` is 'Never'`,
  ]);
  const cpu = { resourceName: 'cpu', restartPolicy: 'NotRequired' };
  expect(resize(cpu, cpu)).toEqual([`${AT}: Duplicate value: "cpu"`]);
});
