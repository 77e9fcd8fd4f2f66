import { expect, it } from 'vitest';
import { attack } from './attack.ts';

it('two tenants see, change, and find out nothing of each other', async () => {
  const { violation, codes } = await attack(300, 20_261_130);
  expect(violation).toBeNull();
  for (const code of [200, 403]) expect(codes.get(code) ?? 0, `${code}`).toBeGreaterThan(0);
});
