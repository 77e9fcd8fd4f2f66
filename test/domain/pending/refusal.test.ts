import { expect, test } from 'vitest';
import { type RefusalCause, refusalCause } from '../../../shared/domain/pending/refusal.ts';

test.each<readonly [RefusalCause, string]>([
  ['capacity', 'Capacity is unavailable at this time. Please try again later or in a different availability zone'],
  ['capacity', 'RESOURCE:MEMORY'],
  ['capacity', 'RESOURCE:CPU'],
  ['capacity', 'AGENT'],
  ['network', 'RESOURCE:ENI'],
  ['network', 'RESOURCE:PORTS'],
  ['network', 'Unexpected EC2 error while attempting to Create Network Interface with public IP assignment disabled'],
  ['network', 'Timeout waiting for network interface provisioning to complete.'],
  ['quota', 'You’ve reached the limit on the number of vCPUs you can run concurrently'],
  ['quota', 'You’ve reached the limit on the number of tasks you can run concurrently'],
  ['quota', "You've reached the limit on the number of tasks you can run concurrently"],
  ['quota', 'The requested CPU (MEMORY) configuration is above your limit'],
  ['throttled', 'ThrottlingException: Rate exceeded'],
  ['throttled', 'Rate exceeded'],
  ['throttled', 'Error retrieving subnet information for [subnet-1]: Rate exceeded (ErrorCode: Throttling)'],
  [
    'throttled',
    'Error retrieving security group information for [sg-1]: Request limit exceeded. (ErrorCode: RequestLimitExceeded)',
  ],
  ['throttled', 'Too many concurrent attempts to create a new revision of the specified family.'],
  ['installation', 'AccessDeniedException: User: x is not authorized to perform: ecs:RunTask on resource: y'],
  ['installation', 'ClientException: Role is not valid'],
  ['installation', 'InvalidParameterException: Unable to assume the service linked role.'],
  ['installation', 'ClusterNotFoundException: Cluster not found.'],
  ['installation', 'BlockedException: Your AWS account is currently blocked.'],
  ['installation', "InvalidParameterException: The subnet ID 'subnet-9' does not exist"],
  ['installation', "InvalidParameterException: The security group 'sg-9' does not exist"],
  ['installation', 'ClientException: TaskDefinition is inactive'],
  ['quota', 'ServiceQuotaExceededException: the quota of tasks'],
  ['refused', 'ECS gave no reason'],
  ['refused', ''],
])('%s: %s', (cause, text) => {
  expect(refusalCause(text)).toBe(cause);
});
