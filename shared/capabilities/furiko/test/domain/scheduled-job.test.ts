import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { scheduledJobDocument } from '../../domain/scheduled-job.ts';
import { configNameIn } from '../../schema/config-of-job.ts';
import { admittedFuriko, namedConfig } from '../furiko-document.ts';

describe('the Job of a slot', () => {
  it('is named after the JobConfig and the second, and made from the JobConfig', () => {
    const config = namedConfig();
    const document = scheduledJobDocument(config.manifest, asEpochMs(1_646_586_360_900));
    expect(document).toEqual({
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'Job',
      metadata: {
        name: 'config-1646586360',
        namespace: 'default',
        annotations: { 'execution.furiko.io/schedule-time': '1646586360' },
      },
      spec: { configName: 'config', type: 'Scheduled' },
    });
    expect(configNameIn(document)).toBe('config');
    expect(admittedFuriko(document, { config }).furiko.spec.type).toBe('Scheduled');
  });
});
