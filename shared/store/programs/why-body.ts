import * as z from 'zod';
import { POLICY_ACTIONS } from '../../domain/manifests/manifest.ts';
import type { Why } from '../../domain/scoreboard/why.ts';

const decided = { reason: z.string(), message: z.string(), decidedBy: z.number().nullable() };

/** Why the end of an attempt counts as what it does, as its record keeps it. */
export const WhySchema: z.ZodType<Why> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('exited'), exitCode: z.number().nullable() }),
  z.object({
    kind: z.literal('policyRule'),
    rule: z.number(),
    action: z.enum(POLICY_ACTIONS),
    what: z.string(),
  }),
  z.object({ kind: z.enum(['jobFailed', 'jobSucceeded']), ...decided }),
  z.object({ kind: z.literal('regrouped'), message: z.string() }),
  z.object({ kind: z.literal('pastDeadline'), of: z.enum(['attempt', 'index']), sec: z.number() }),
  z.object({ kind: z.literal('notStartedInTime'), sec: z.number() }),
  z.object({ kind: z.enum(['unstarted', 'lost']), reason: z.string() }),
  z.object({ kind: z.literal('startTimedOut'), sec: z.number(), reason: z.string() }),
  z.object({ kind: z.literal('lostTooOften'), times: z.number(), reason: z.string() }),
  z.object({ kind: z.literal('said'), sentence: z.string() }),
  z.object({
    kind: z.enum([
      'outOfMemory',
      'jobSuspended',
      'jobDeleted',
      'completionsLowered',
      'scaledDown',
      'indexCancelled',
      'indexRequeued',
      'podEvicted',
      'podDeleted',
      'taskStopped',
      'podReplaced',
      'podGivenUp',
    ]),
  }),
]);
