import type { ALocalRuntime } from '../e2e/a-local-runtime.ts';
import { applyAndDiff, applyServerSide } from './chapters/apply.ts';
import { ask, refusals } from './chapters/ask.ts';
import { change, edit, replace } from './chapters/change.ts';
import { configs } from './chapters/configs.ts';
import { create, createFromCommands, validate } from './chapters/create.ts';
import { remove, wait } from './chapters/delete.ts';
import { describeObjects, events, explain } from './chapters/describe.ts';
import { furikoJobs, jobConfigs, killFurikoJob } from './chapters/furiko.ts';
import { get, outputs, watch } from './chapters/get.ts';
import { logs } from './chapters/logs.ts';
import { grant } from './chapters/grant.ts';
import { limitRanges } from './chapters/limit-ranges.ts';
import { quotas } from './chapters/quotas.ts';
import { status } from './chapters/status.ts';
import { storage } from './chapters/storage.ts';
import type { Terminal } from './terminal.ts';

/** What a person does with kubectl, chapter by chapter; none needs another. */
export const CHAPTERS: Readonly<Record<string, (terminal: Terminal, local: ALocalRuntime) => Promise<void>>> = {
  create,
  'create from commands': createFromCommands,
  validate,
  'apply and diff': applyAndDiff,
  'apply server-side': applyServerSide,
  get,
  outputs,
  watch,
  describe: describeObjects,
  events,
  explain,
  change,
  edit,
  replace,
  status,
  'config maps and secrets': configs,
  quotas,
  'limit ranges': limitRanges,
  storage,
  wait,
  delete: remove,
  logs,
  ask,
  refusals,
  'furiko jobs': furikoJobs,
  'kill a furiko job': killFurikoJob,
  jobconfigs: jobConfigs,
  grant,
};
