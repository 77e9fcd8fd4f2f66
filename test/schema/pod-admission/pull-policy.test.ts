import { expect, test } from 'vitest';
import { defaultPullPolicy } from '../../../shared/schema/pod-admission/pull-policy.ts';

const SHA = `sha256:${'0a'.repeat(32)}`;

test.each([
  'busybox',
  'busybox:latest',
  'library/busybox',
  'example.com/team/app',
  'example.com:5000/app',
  'example.com:5000/app:latest',
  'localhost/app',
  'Example/app',
  '[::1]:5000/app',
  'a__b/c--d',
  `busybox:latest@${SHA}`,
])('%s may change under its name', (image) => {
  expect(defaultPullPolicy(image)).toBe('Always');
});

test.each([
  'busybox:1',
  'busybox:Latest',
  'example.com:5000/app:1.2.3',
  `busybox@${SHA}`,
  `example.com/app:1@${SHA}`,
  // No image references at all: they have no tag.
  '',
  'Busybox',
  'busybox:',
  'busybox@sha256:0a',
  `busybox:latest@sha256:${'g'.repeat(64)}`,
  'a..b',
  'a___b',
  '-a/b',
  'a//b',
  'a b',
  '0a'.repeat(32),
  'a'.repeat(256),
  `${'a'.repeat(100_000)}!`,
])('%s does not', (image) => {
  expect(defaultPullPolicy(image)).toBe('IfNotPresent');
});
