import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';
import { indexed, specRows } from '../../support/spec-rows.ts';

describe('podFailurePolicy', () => {
  const exit = (onExitCodes: object) => ({
    action: 'FailJob',
    onExitCodes: { operator: 'In', values: [1], ...onExitCodes },
  });
  const condition = (pattern: object) => ({
    action: 'Ignore',
    onPodConditions: [{ type: 'DisruptionTarget', ...pattern }],
  });
  const policy = (...rules: readonly object[]) => ({ podFailurePolicy: { rules } });
  const at = 'spec.podFailurePolicy.rules';

  specRows([
    ['no rules', policy(), []],
    ['twenty rules', policy(...Array.from({ length: 20 }, () => exit({}))), []],
    [
      'more',
      policy(...Array.from({ length: 21 }, () => exit({}))),
      [`${at}: Too many: 21: must have at most 20 items`],
    ],
    [
      'every action but FailIndex',
      policy(...['Count', 'FailJob', 'Ignore'].map((action) => ({ ...exit({}), action }))),
      [],
    ],
    [
      'no action, an unknown one, and one that wants a limit for each index',
      policy(
        { onExitCodes: exit({}).onExitCodes },
        { ...exit({}), action: 'Retry' },
        { ...exit({}), action: 'FailIndex' },
      ),
      [
        `${at}[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
        `${at}[1].action: Unsupported value: "Retry": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
        `${at}[2].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
      ],
    ],
    ['FailIndex', indexed({ backoffLimitPerIndex: 1, ...policy({ ...exit({}), action: 'FailIndex' }) }), []],
    [
      'neither exit codes nor conditions, and both',
      policy(
        { action: 'Count' },
        { action: 'Count', onPodConditions: [] },
        { ...exit({}), onPodConditions: [{ type: 'DisruptionTarget' }] },
      ),
      [
        `${at}[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
        `${at}[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
        `${at}[2]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
      ],
    ],
    ['a container by name', policy(exit({ containerName: 'main' })), []],
    [
      'a container that is not in the template',
      policy(exit({ containerName: 'sidecar' })),
      [
        `${at}[0].onExitCodes.containerName: Invalid value: "sidecar": must be one of the container or initContainer names in the pod template`,
      ],
    ],
    [
      'no operator, and an unknown one',
      policy(exit({ operator: '' }), exit({ operator: 'Equals' })),
      [
        `${at}[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${at}[1].onExitCodes.operator: Unsupported value: "Equals": supported values: "In", "NotIn"`,
      ],
    ],
    [
      'no values',
      policy(exit({ values: [] })),
      [`${at}[0].onExitCodes.values: Invalid value: []: at least one value is required`],
    ],
    ['255 values', policy(exit({ values: Array.from({ length: 255 }, (_, i) => i + 1) })), []],
    [
      'more',
      policy(exit({ values: Array.from({ length: 256 }, (_, i) => i + 1) })),
      [`${at}[0].onExitCodes.values: Too many: 256: must have at most 255 items`],
    ],
    [
      '0 is success, so no failure can be In it',
      policy(exit({ values: [0, 1] })),
      [`${at}[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`],
    ],
    ['0 with NotIn', policy(exit({ operator: 'NotIn', values: [0, 1] })), []],
    ['negative codes', policy(exit({ values: [-1, 1] })), []],
    [
      'twice the same, and out of order',
      policy(exit({ values: [3, 3, 2] })),
      [
        `${at}[0].onExitCodes.values[1]: Duplicate value: 3`,
        `${at}[0].onExitCodes.values: Invalid value: [3,3,2]: must be ordered`,
      ],
    ],
    ['conditions', policy(condition({}), condition({ status: 'False' }), condition({ status: 'Unknown' })), []],
    [
      'more conditions than twenty',
      policy({ action: 'Ignore', onPodConditions: Array.from({ length: 21 }, () => ({ type: 'A' })) }),
      [`${at}[0].onPodConditions: Too many: 21: must have at most 20 items`],
    ],
    [
      'a type that is no qualified name, a status that nobody knows',
      policy(condition({ type: 'a b', status: 'true' })),
      [
        `${at}[0].onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `${at}[0].onPodConditions[0].status: Unsupported value: "true": supported values: "False", "True", "Unknown"`,
      ],
    ],
  ]);

  test('the name of an init container will do', () => {
    const pod = { initContainers: [{ name: 'setup', image: 'busybox' }] };
    expect(faultLines(admitDocument(jobDocument(policy(exit({ containerName: 'setup' })), {}, pod)))).toEqual([]);
  });

  test('a missing status is True', () => {
    const { manifest } = admitted(jobDocument(policy(condition({}), condition({ status: 'False' }))));
    expect(manifest.spec.podFailurePolicy?.rules.map(({ onPodConditions }) => onPodConditions?.[0]?.status)).toEqual([
      'True',
      'False',
    ]);
  });

  test('it wants Pods that are not restarted in place, and failed before they are replaced', () => {
    const spec = { ...policy(exit({})), podReplacementPolicy: 'TerminatingOrFailed' };
    expect(faultLines(admitDocument(jobDocument(spec, {}, { restartPolicy: 'OnFailure' })))).toEqual([
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ]);
  });
});
