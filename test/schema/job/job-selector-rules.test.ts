import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';
import { specRows } from '../../support/spec-rows.ts';

describe('selector', () => {
  const templateWith = (labels: object) => ({
    template: { metadata: { labels }, spec: jobDocument().spec.template.spec },
  });
  const manual = (selector: object | undefined, labels: object = { app: 'sums' }) => ({
    manualSelector: true,
    selector,
    ...templateWith(labels),
  });
  const labels = 'spec.template.metadata.labels';
  const expr = (requirement: object) => manual({ matchExpressions: [{ key: 'app', ...requirement }] });
  const expression = 'spec.selector.matchExpressions[0]';

  test('it is generated, and so are the labels that it finds', () => {
    const { spec } = admitted(jobDocument(templateWith({ app: 'sums' }))).manifest;
    expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } });
    expect(spec.template.metadata.labels).toEqual({
      app: 'sums',
      'controller-uid': 'uid-1',
      'job-name': 'sums',
      'batch.kubernetes.io/controller-uid': 'uid-1',
      'batch.kubernetes.io/job-name': 'sums',
    });
  });

  test('a manual one is kept, and nothing is generated', () => {
    const { spec } = admitted(jobDocument(manual({ matchLabels: { app: 'sums' } }))).manifest;
    expect(spec.manualSelector).toBe(true);
    expect(spec.selector).toEqual({ matchLabels: { app: 'sums' } });
    expect(spec.template.metadata.labels).toEqual({ app: 'sums' });
  });

  specRows([
    [
      'the one that would be generated',
      { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } } },
      [],
    ],
    ['more of the generated labels', { selector: { matchLabels: { 'job-name': 'sums' } } }, []],
    [
      "labels that are the Job's own with other values",
      templateWith({ 'controller-uid': 'x', 'batch.kubernetes.io/job-name': 'y' }),
      [
        `${labels}[controller-uid]: Invalid value: {"controller-uid":"x","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"y"}: must be 'uid-1'`,
        `${labels}[batch.kubernetes.io/job-name]: Invalid value: {"controller-uid":"x","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"y"}: must be 'sums'`,
      ],
    ],
    [
      'a selector of the user without manualSelector',
      { selector: { matchLabels: { app: 'sums' } } },
      [
        'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":"uid-1","app":"sums"}}: `selector` not auto-generated',
        `${labels}: Invalid value: {"controller-uid":"uid-1","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"sums"}: \`selector\` does not match template \`labels\``,
      ],
    ],
    [
      'a manual one that is absent selects nothing',
      manual(undefined),
      [
        'spec.selector: Required value',
        `${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``,
      ],
    ],
    ['a manual one that is empty selects everything', manual({}), []],
    [
      'a manual one that does not find the Pods',
      manual({ matchLabels: { app: 'other' } }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    ['In', expr({ operator: 'In', values: ['sums', 'other'] }), []],
    [
      'In without the value',
      expr({ operator: 'In', values: ['other'] }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    ['NotIn', expr({ operator: 'NotIn', values: ['other'] }), []],
    [
      'NotIn with the value',
      expr({ operator: 'NotIn', values: ['sums'] }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    [
      'NotIn of a label that is not there',
      manual({ matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['y'] }] }),
      [],
    ],
    ['Exists', expr({ operator: 'Exists' }), []],
    [
      'DoesNotExist',
      expr({ operator: 'DoesNotExist' }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    [
      'In without values',
      expr({ operator: 'In' }),
      [`${expression}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    ],
    [
      'Exists with values',
      expr({ operator: 'Exists', values: ['sums'] }),
      [`${expression}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`],
    ],
    [
      'an unknown operator',
      expr({ operator: 'Like', values: ['s*'] }),
      [
        `${expression}.operator: Invalid value: "Like": not a valid selector operator`,
        expect.stringMatching(
          /^spec\.selector\.matchExpressions\[0\]\.values\[0\]: Invalid value: "s\*": a valid label/,
        ) as unknown as string,
      ],
    ],
    [
      'a key that is none',
      manual({ matchLabels: { '/x': 'y' }, matchExpressions: [{ key: '/x', operator: 'Exists' }] }),
      [
        'spec.selector.matchLabels: Invalid value: "/x": prefix part must be non-empty',
        `${expression}.key: Invalid value: "/x": prefix part must be non-empty`,
      ],
    ],
  ]);

  test('where no label carries the name, the limit on its length is our own', () => {
    const name = 'a'.repeat(64);
    expect(faultLines(admitDocument(jobDocument(manual({}), { name })))).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 63 characters`,
    ]);
  });
});
