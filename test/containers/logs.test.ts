import { describe, test } from 'vitest';
import { logSession, restartSession } from '../e2e/pods/log-session.ts';
import { BUSYBOX, PATIENT, hasEngine, withDocker } from './a-docker-runtime.ts';

describe.runIf(hasEngine)('the log of a container', PATIENT, () => {
  const docker = withDocker();
  const sessionOf = () => {
    const { kube, folders } = docker.runtime;
    return { kube, workspaceDir: folders.workspaceDir, image: BUSYBOX };
  };

  test('is what it has printed, as much of it as is asked for, for all who follow it', async ({ expect }) => {
    expect(await logSession({ ...sessionOf(), expect })).toMatch(/^prints-/);
  });

  test('is that of its last start, and of the one before where that is asked for', async ({ expect }) => {
    expect(await restartSession({ ...sessionOf(), expect })).toMatch(/^again-/);
  });
});
