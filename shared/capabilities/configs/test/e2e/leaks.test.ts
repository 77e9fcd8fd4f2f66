import { expect, test } from 'vitest';
import { someFolders } from '../../../../../test/e2e/a-local-runtime.ts';
import { huntCrashes } from '../leaks/hunt-crashes.ts';
import { huntLeaks } from '../leaks/hunt-leaks.ts';

// planted-leaks.test.ts shows that a leak in each of the places is found.
test('no value of a Secret is anywhere but in the Secret', async () => {
  const folders = someFolders();
  expect(await huntLeaks(folders)).toEqual([]);
  folders.remove();
});

test('nor in what is left of a call that fails in a way nobody expected', async () => {
  expect(await huntCrashes()).toEqual([]);
});
