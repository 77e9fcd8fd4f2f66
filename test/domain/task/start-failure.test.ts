import { expect, test } from 'vitest';
import { startFailureOf } from '../../../shared/domain/task/start-failure.ts';

const AWAY = 'Error response from daemon: Get "https://registry.test/v2/": dial tcp 192.0.2.1:443: connect: refused';

test.each([
  ['StartFailed', 'CannotPullContainerError: manifest unknown', 'ImagePullBackOff'],
  ['StartFailed', 'CannotPullImageManifestError: no such tag', 'ImagePullBackOff'],
  ['StartFailed', 'CannotPullContainerError: ErrImageNeverPull: image "a" is not present', 'ErrImageNeverPull'],
  ['StartFailed', 'CannotPullContainerError: InvalidImageName: invalid reference format', 'InvalidImageName'],
  ['StartFailed', 'ResourceInitializationError: secret db not found', 'CreateContainerConfigError'],
  ['StartFailed', 'CannotCreateContainerError: no such user', 'CreateContainerError'],
  // What passes, or is the operator's to mend, has no place in the Job's limits; it is the image's fault all the same.
  ['Unplaced', `CannotPullContainerError: ${AWAY}`, 'ImagePullBackOff'],
  ['Unplaced', 'Capacity is unavailable at this time', null],
  ['Unplaced', 'AccessDenied: role CannotPullContainerError: is not valid', null],
  ['Error', 'CannotPullContainerError: nobody says so', null],
] as const)('%s, %s: %s', (cause, reason, word) => {
  expect(startFailureOf({ cause, reason })).toBe(word);
});
