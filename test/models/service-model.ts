import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isVerifying } from '../verify/verifying.ts';

// AWS's published service models, as the Python SDK carries them: `.ci/install-engines` installs it.

const FOLDER = join(import.meta.dirname, '../../.engines/moto/botocore/data');

/** Whether the models are on this machine; in `npm run verify` they must be. */
export const HAS_MODELS: boolean = existsSync(FOLDER);
if (!HAS_MODELS && isVerifying) throw new Error('the service models are not installed: run .ci/install-engines');

/** By the prefix of `X-Amz-Target`: the folder of the model. */
const FOLDERS: Readonly<Record<string, string | undefined>> = {
  DynamoDB_20120810: 'dynamodb/2012-08-10',
  AmazonSQS: 'sqs/2012-11-05',
  AmazonEC2ContainerServiceV20141113: 'ecs/2014-11-13',
  Logs_20140328: 'logs/2014-03-28',
  Route53AutoNaming_v20170314: 'servicediscovery/2017-03-14',
  AWSEvents: 'events/2015-10-07',
  AWSStepFunctions: 'stepfunctions/2016-11-23',
  secretsmanager: 'secretsmanager/2017-10-17',
  AmazonSSM: 'ssm/2014-11-06',
};

/** What a shape says of a value; members that only documentation and code generators read are left out. */
export type Shape = {
  readonly type: string;
  readonly members?: Readonly<Record<string, Ref>>;
  readonly required?: readonly string[];
  readonly union?: boolean;
  readonly document?: boolean;
  readonly member?: Ref;
  readonly key?: Ref;
  readonly value?: Ref;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
};
type Ref = { readonly shape: string };

type OperationModel = { readonly input?: Ref; readonly output?: Ref; readonly errors?: readonly Ref[] };

export type ServiceModel = {
  /** `ecs`, `sqs`, ... */
  readonly name: string;
  readonly operations: Readonly<Record<string, OperationModel | undefined>>;
  readonly shapes: Readonly<Record<string, Shape | undefined>>;
};

const read = new Map<string, ServiceModel>();

/** The model of the service that `prefix.<operation>` names. Throws where there is none. */
export function modelOf(prefix: string): ServiceModel {
  const known = read.get(prefix);
  if (known !== undefined) return known;
  const folder = FOLDERS[prefix];
  if (folder === undefined) throw new Error(`service-model.ts does not say where the model of ${prefix} is`);
  const text = gunzipSync(readFileSync(join(FOLDER, folder, 'service-2.json.gz'))).toString('utf8');
  const { operations, shapes } = JSON.parse(text) as Omit<ServiceModel, 'name'>;
  const model = { name: folder.split('/')[0] ?? '', operations, shapes };
  read.set(prefix, model);
  return model;
}
