import { FARGATE_ZONE_IDS } from './fargate-zones.ts';
import type { Settings } from './settings.ts';

/** A warning of a synthesis, by an id that `Annotations.acknowledgeWarning` takes. */
export type SynthNote = { readonly id: string; readonly text: string };

/**
 * What an operator should know before a deployment, and what is no reason to refuse one.
 *
 * @param region where the stack will be; undefined where it is not known: then what only some Regions lack is said
 */
export function synthNotes(
  { alarms, network, tracing }: Pick<Settings, 'alarms' | 'network' | 'tracing'>,
  region: string | undefined,
): readonly SynthNote[] {
  const known = region === undefined || region === '' ? null : region;
  return [
    ...(alarms.email === null ? [NOBODY_HEARS] : []),
    ...(known === null && network.kind === 'own' ? zoneNotes(network.zones) : []),
    ...(known === null && tracing ? [NO_TRACES] : []),
  ];
}

const NOBODY_HEARS: SynthNote = {
  id: 'muster:alarmEmail',
  text: 'alarms reach nobody until somebody subscribes to the topic of the output AlarmTopic: set alarmEmail, or subscribe',
};

/** An X-Ray integration of Lambda is not available there (Getting Started with AWS in China, Lambda). */
const NO_TRACES: SynthNote = {
  id: 'muster:tracing',
  text: "the Region is not known: in China's, where Lambda sends no traces to X-Ray, set tracing=false",
};

function zoneNotes(zones: number): readonly SynthNote[] {
  const few = Object.entries(FARGATE_ZONE_IDS).filter(([, ids]) => ids.length < zones);
  if (few.length === 0) return [];
  const regions = few.map(([region, ids]) => `${region} (${ids.length})`).join(' and ');
  const text = `the Region is not known, and Fargate has fewer than ${zones} zones in ${regions}: there, two subnets would be in one zone. ${HOW_TO_KNOW}, or set zones`;
  return [{ id: 'muster:zones', text }];
}

/** The CDK command line tells it to the app. */
const HOW_TO_KNOW = 'Set AWS_REGION for the CDK command line, or CDK_DEFAULT_REGION where that is not used';
