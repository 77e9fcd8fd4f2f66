import { describe, expect, test } from 'vitest';
import { admitDocument, faultLines, jobDocument } from '../../support/job-document.ts';
import { type SpecRow, indexed, specRows } from '../../support/spec-rows.ts';

describe('successPolicy', () => {
  const policy = (...rules: readonly object[]) => indexed({ successPolicy: { rules } });
  const at = 'spec.successPolicy.rules';

  specRows([
    [
      'indexes, a count, and both',
      policy({ succeededIndexes: '0-2,9' }, { succeededCount: 10 }, { succeededIndexes: '0,1', succeededCount: 2 }),
      [],
    ],
    [
      'a NonIndexed Job has no indexes: nothing else is looked at',
      { successPolicy: { rules: [{}] } },
      ['spec.successPolicy: Invalid value: {"rules":[{}]}: requires indexed completion mode'],
    ],
    [
      'no rules',
      policy(),
      [`${at}: Required value: at least one rules must be specified when the successPolicy is specified`],
    ],
    ['twenty rules', policy(...Array.from({ length: 20 }, () => ({ succeededCount: 1 }))), []],
    [
      'more',
      policy(...Array.from({ length: 21 }, () => ({ succeededCount: 1 }))),
      [`${at}: Too many: 21: must have at most 20 items`],
    ],
    [
      'a rule that says nothing',
      policy({}),
      [`${at}[0]: Required value: at least one of succeededCount or succeededIndexes must be specified`],
    ],
    ['indexes that are none: it never matches, but it is right', policy({ succeededIndexes: '' }), []],
    ...(
      [
        ['x', 'cannot convert string to integer for index: "x"'],
        ['1,', 'cannot convert string to integer for index: ""'],
        ['1, 2', 'cannot convert string to integer for index: " 2"'],
        ['-1', 'cannot convert string to integer for index: ""'],
        ['10', 'too large index: "10"'],
        ['8-10', 'too large index: "10"'],
        ['3,2', 'non-increasing order, previous: 3, current: 2'],
        ['3-3', 'non-increasing order, previous: 3, current: 3'],
        ['0-4,4', 'non-increasing order, previous: 4, current: 4'],
        [
          '1-2-3',
          `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
        ],
      ] as const
    ).map(
      ([text, reason]): SpecRow => [
        `indexes ${JSON.stringify(text)}`,
        policy({ succeededIndexes: text }),
        [
          `${at}[0].succeededIndexes: Invalid value: ${JSON.stringify(text)}: error parsing succeededIndexes: ${reason}`,
        ],
      ],
    ),
    [
      'a count below zero',
      policy({ succeededCount: -1 }),
      [`${at}[0].succeededCount: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'a count above completions, and above the listed indexes',
      policy({ succeededCount: 11, succeededIndexes: '0-3' }),
      [
        `${at}[0].succeededCount: Invalid value: 11: must be less than or equal to 10 (the number of specified completions)`,
        `${at}[0].succeededCount: Invalid value: 11: must be less than or equal to 4 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
    [
      'indexes that cannot be read count as none',
      policy({ succeededCount: 1, succeededIndexes: 'all' }),
      [
        `${at}[0].succeededIndexes: Invalid value: "all": error parsing succeededIndexes: cannot convert string to integer for index: "all"`,
        `${at}[0].succeededCount: Invalid value: 1: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
    [
      'what can be said without completions',
      {
        completionMode: 'Indexed',
        parallelism: 1,
        successPolicy: { rules: [{ succeededIndexes: '1,0', succeededCount: 9 }] },
      },
      [
        'spec.completions: Required value: when completion mode is Indexed',
        `${at}[0].succeededIndexes: Invalid value: "1,0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0`,
        `${at}[0].succeededCount: Invalid value: 9: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
  ]);

  test('indexes take 64 KiB of text at most', () => {
    const tooLong = `${at}[0].succeededIndexes: Too long: may not be more than 65536 bytes`;
    const faults = (bytes: number) =>
      faultLines(admitDocument(jobDocument(policy({ succeededIndexes: 'x'.repeat(bytes) }))));
    expect(faults(65_536)).not.toContain(tooLong);
    expect(faults(65_537)).toContain(tooLong);
  });
});
