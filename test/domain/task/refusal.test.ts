import { expect, test } from 'vitest';
import { type RefusalCause, decidingWords, refusalCause } from '../../../shared/domain/task/refusal.ts';

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

const SECRET =
  'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: ';
const ASM = `${SECRET}unable to retrieve secret from asm: service call has been retried 1 time(s): failed to fetch secret arn:aws:secretsmanager:eu-central-1:111122223333:secret:muster/default/db/password-AbCdEf from secrets manager: `;
const SSM = `${SECRET}unable to retrieve secrets from ssm: service call has been retried 1 time(s): `;
const PULL = 'CannotPullContainerError: pull image manifest has been retried 1 time(s): failed to resolve ref ';

// As public threads and AWS's pages print them. `?`: put together from parts that are printed, the whole was not seen.
test.each<readonly [cause: RefusalCause, text: string, doubt?: '?']>([
  [
    'registry',
    'CannotPullContainerError: inspect image has been retried 1 time(s): httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/python/manifests/sha256:de6e: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit',
  ],
  [
    'registry',
    `${PULL}docker.io/library/busybox:1: toomanyrequests: You have reached your unauthenticated pull rate limit.`,
    '?',
  ],
  ['registry', 'CannotPullContainerError: toomanyrequests: Rate exceeded'],
  [
    'registry',
    `${PULL}quay.io/acme/app:1: unexpected status from HEAD request to https://quay.io/v2/acme/app/manifests/1: 502 Bad Gateway`,
    '?',
  ],
  [
    'registry',
    'CannotPullContainerError: failed to do request: Head "https://ghcr.io/v2/acme/app/manifests/1": net/http: TLS handshake timeout',
    '?',
  ],
  ['throttled', `${SSM}ThrottlingException: Rate exceeded status code: 400, request id: 75567eb3`, '?'],
  ['throttled', 'CannotPullECRContainerError: ThrottlingException: Rate exceeded'],
  [
    'throttled',
    'operation error SSM: GetParameters, https response error StatusCode: 400, RequestID: 1, api error ThrottlingException: Rate exceeded',
    '?',
  ],
  [
    'installation',
    `${ASM}AccessDeniedException: User: arn:aws:sts::111122223333:assumed-role/muster/1 is not authorized to perform: secretsmanager:GetSecretValue on resource: x because no identity-based policy allows the secretsmanager:GetSecretValue action`,
  ],
  ['installation', `${ASM}AccessDeniedException: Access to KMS is not allowed`],
  [
    'installation',
    `${SSM}AccessDeniedException: User: x is not authorized to perform: ssm:GetParameters on resource: y`,
  ],
  [
    'installation',
    `${SECRET}unable to retrieve ecr registry auth: service call has been retried 3 time(s): RequestError: send request failed caused by: Post "https://api.ecr.eu-central-1.amazonaws.com/": dial tcp 10.0.0.1:443: i/o timeout. Please check your task network configuration.`,
  ],
  [
    'installation',
    `${SECRET}unable to retrieve secrets from ssm: The task cannot pull secrets from AWS Systems Manager. There is a connection issue between the task and AWS Systems Manager Parameter Store. Check your task network configuration.`,
  ],
  [
    'installation',
    'CannotPullContainerError: API error (500): Get https://x/v2/: net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
  ],
  [
    'installation',
    'CannotPullContainerError: inspect image has been retried 5 time(s): failed to resolve ref x: dial tcp 3.210.148.47:443: i/o timeout',
  ],
  [
    'installation',
    'ResourceInitializationError: failed to validate logger args: The task cannot find the Amazon CloudWatch log group defined in the task definition. There is a connection issue between the task and Amazon CloudWatch.',
  ],
  [
    'installation',
    'ResourceInitializationError: failed to create Cloudwatch log stream: ResourceNotFoundException: The specified log group does not exist',
  ],
  ['network', 'Timeout waiting for network interface provisioning to complete.'],
  [
    'network',
    'Unexpected EC2 error while attempting to Create Network Interface in subnet: InsufficientFreeAddressesInSubnet',
  ],
  ['network', 'Unable to attach network interface to unused device index'],
  ['network', 'TaskFailedToStart: RESOURCE:ENI', '?'],
  ['capacity', 'Timeout waiting for EphemeralStorage provisioning to complete.'],
  ['capacity', 'RESOURCE:GPU', '?'],
  ['capacity', 'InternalError: spawn EAGAIN'],
  // what only the Job can mend
  ['refused', `${PULL}docker.io/acme/aap:1: not found`],
  [
    'refused',
    'CannotPullContainerError: API error (404): repository serverless-batch not found: does not exist or no pull access',
  ],
  ['refused', 'CannotPullContainerError: image Manifest does not contain descriptor matching platform'],
  [
    'refused',
    'CannotPullContainerError: failed to do request: Head "https://registry.exmaple/v2/": dial tcp: lookup registry.exmaple: no such host',
    '?',
  ],
  ['refused', `${SSM}invalid ssm parameters: /muster/default/config/hots`],
  ['refused', `${ASM}ResourceNotFoundException: Secrets Manager can't find the specified secret.`],
  ['refused', 'CannotStartContainerError: exec: "nope": executable file not found in $PATH'],
  // and what it names looks like something else
  ['refused', `${PULL}docker.io/acme/toomanyrequests:quota: not found`],
  ['refused', `${PULL}docker.io/throttling/agent:RESOURCE: not found`],
  [
    'refused',
    'CannotPullContainerError: API error (404): repository team/subnet not found: does not exist or no pull access',
  ],
  [
    'refused',
    'CannotPullContainerError: API error (404): repository security-group not found: does not exist or no pull access',
  ],
  ['refused', `${SSM}invalid ssm parameters: /muster/default/AccessDeniedException/InternalError`],
])('%s: %s %s', (cause, text = '') => expect(refusalCause(text)).toBe(cause));

test('the words that decide are found', () => {
  const text = `${ASM}AccessDeniedException: Access to KMS is not allowed`;
  const { from, to } = decidingWords(text) ?? { from: 0, to: 0 };
  expect(text.slice(from, to)).toBe('AccessDeniedException: ');
  expect(decidingWords('nothing of the kind')).toBeNull();
});
