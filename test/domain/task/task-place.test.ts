import { describe, expect, test } from 'vitest';
import type { NodeAffinityTerm } from '../../../shared/domain/manifests/pod-spec.ts';
import { type Placement, placeOf } from '../../../shared/domain/task/task-place.ts';

const ARCH = 'kubernetes.io/arch';
const CAPACITY = 'muster.run/capacity';
const OS = 'kubernetes.io/os';

const where = (placement: Placement): string => {
  const place = placeOf(placement);
  return place === null ? 'nowhere' : `${place[ARCH]} ${place[CAPACITY]} ${place[OS]}`;
};
const needing = (...nodeSelectorTerms: NodeAffinityTerm[]): Placement => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const all = (...matchExpressions: NonNullable<NodeAffinityTerm['matchExpressions']>): NodeAffinityTerm => ({
  matchExpressions,
});
const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In', values });
const isNot = (key: string, ...values: string[]) => ({ key, operator: 'NotIn', values });

describe('where a task runs', () => {
  test.each<[string, Placement, string]>([
    ['nothing is asked for', {}, 'amd64 on-demand linux'],
    ['a selector', { nodeSelector: { [ARCH]: 'arm64', [CAPACITY]: 'spot' } }, 'arm64 spot linux'],
    ['another system', { nodeSelector: { [OS]: 'windows' } }, 'nowhere'],
    ['one of two, in their order', needing(all(isIn(ARCH, 'arm64', 'amd64'))), 'amd64 on-demand linux'],
    ['one of two', needing(all(isIn(ARCH, 'arm64'))), 'arm64 on-demand linux'],
    ['not one of two', needing(all(isNot(CAPACITY, 'on-demand'))), 'amd64 spot linux'],
    ['several conditions', needing(all(isIn(ARCH, 'arm64'), isIn(CAPACITY, 'spot'))), 'arm64 spot linux'],
    ['conditions that exclude each other', needing(all(isIn(ARCH, 'arm64'), isNot(ARCH, 'arm64'))), 'nowhere'],
    ['one of several terms', needing(all(isIn('zone', 'a')), all(isIn(ARCH, 'arm64'))), 'arm64 on-demand linux'],
    ['no term', needing(), 'nowhere'],
    ['an empty term', needing({}), 'nowhere'],
    ['an empty term, and one that holds', needing({}, all(isIn(OS, 'linux'))), 'amd64 on-demand linux'],
    ['a label that tasks do not have', needing(all(isIn('zone', 'a'))), 'nowhere'],
    [
      'not a value of a label that tasks do not have',
      needing(all(isNot('lifecycle', 'SPOT'))),
      'amd64 on-demand linux',
    ],
    ['a label', needing(all({ key: ARCH, operator: 'Exists' })), 'amd64 on-demand linux'],
    ['a label that is missing', needing(all({ key: 'gpu', operator: 'Exists' })), 'nowhere'],
    ['no label', needing(all({ key: 'gpu', operator: 'DoesNotExist' })), 'amd64 on-demand linux'],
    ['no label, which there is', needing(all({ key: OS, operator: 'DoesNotExist' })), 'nowhere'],
    ['a number', needing(all({ key: 'cores', operator: 'Gt', values: ['4'] })), 'nowhere'],
    ['the name of a node', needing({ matchFields: [isIn('metadata.name', 'node-1')] }), 'nowhere'],
    ['not the name of a node', needing({ matchFields: [isNot('metadata.name', 'node-1')] }), 'amd64 on-demand linux'],
    ['a member of every object', needing(all({ key: 'constructor', operator: 'Exists' })), 'nowhere'],
    [
      'a selector and an affinity',
      { nodeSelector: { [CAPACITY]: 'spot' }, ...needing(all(isIn(ARCH, 'arm64'))) },
      'arm64 spot linux',
    ],
    [
      'a selector against an affinity',
      { nodeSelector: { [ARCH]: 'amd64' }, ...needing(all(isIn(ARCH, 'arm64'))) },
      'nowhere',
    ],
  ])('%s', (_, placement, place) => {
    expect(where(placement)).toBe(place);
  });
});
