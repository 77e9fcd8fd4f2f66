import { expect, test } from 'vitest';
import { faultsOf } from '../../../../../test/kube/bounds/brief-answers.ts';
import { CORE, mapOf, named, other, times } from '../../../../../test/kube/bounds/request-forms.ts';

test.each(
  [
    other('ResourceQuota', '8,000 keys', `${CORE}/resourcequotas`, {
      spec: { hard: mapOf(named('count/x', 8_000), '1') },
    }),
    other('ResourceQuota', '20,000 scopes', `${CORE}/resourcequotas`, {
      spec: { hard: { pods: '1' }, scopes: times(20_000, () => 'x') },
    }),
    other('LimitRange', '3,000 limits', `${CORE}/limitranges`, {
      spec: { limits: times(3_000, () => ({ type: 'Container', max: { cpu: '1' }, min: { cpu: '1' } })) },
    }),
    other('LimitRange', '60,000 empty limits', `${CORE}/limitranges`, { spec: { limits: times(60_000, () => ({})) } }),
  ].map((request) => [request.what, request] as const),
)('%s', async (_, request) => {
  expect(await faultsOf(request)).toEqual([]);
});
