import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../cdk/settings.ts';
import { synthNotes } from '../../cdk/synth-notes.ts';
import { SETTINGS_MATRIX } from './settings-matrix.ts';

const idsOf = (context: Readonly<Record<string, string>>, region?: string) =>
  synthNotes(
    readSettings((key) => context[key], region),
    region,
  ).map(({ id }) => id);

describe('a synthesis warns', () => {
  test.each(Object.entries(SETTINGS_MATRIX))('of what its settings leave open: %s', (_, context) => {
    const { alarmEmail, vpcId, zones = '3', tracing } = context;
    const unheard = alarmEmail === undefined ? ['muster:alarmEmail'] : [];
    const crowded = vpcId === undefined && zones === '3' ? ['muster:zones'] : [];
    expect(idsOf(context)).toEqual([...unheard, ...crowded, ...(tracing === 'true' ? ['muster:tracing'] : [])]);
    expect(idsOf(context, 'eu-central-1')).toEqual(unheard);
  });

  test('of nothing that is settled', () => {
    expect(idsOf({ zones: '2', alarmEmail: 'ops@example.org' })).toEqual([]);
    expect(idsOf({ zones: '2', alarmEmail: 'ops@example.org' }, '')).toEqual([]);
    expect(idsOf({ zones: '2', alarmEmail: 'ops@example.org' }, 'cn-north-1')).toEqual([]);
  });

  test('with the Regions that have fewer zones, and how to make the Region known', () => {
    const texts = synthNotes(
      readSettings(() => undefined),
      undefined,
    ).map(({ text }) => text);
    expect(texts[1]).toBe(
      'the Region is not known, and Fargate has fewer than 3 zones in us-west-1 (2) and cn-north-1 (2): there, two subnets would be in one zone. Set AWS_REGION for the CDK command line, or CDK_DEFAULT_REGION where that is not used, or set zones',
    );
  });

  test('and is done all the same: the template is there', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'muster-notes-'));
    onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
    const { CDK_DEFAULT_REGION: _region, ...rest } = process.env;
    const CDK_CONTEXT_JSON = JSON.stringify({ 'aws:cdk:bundling-stacks': [] });
    const env = { ...rest, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON, CDK_VALIDATION: 'false' };
    execFileSync(process.execPath, ['--import', 'tsx', resolve('cdk/app.ts')], { env, stdio: 'pipe' });
    const manifest = readFileSync(join(outdir, 'manifest.json'), 'utf8');
    const stack = JSON.parse(manifest) as {
      artifacts: { Muster: { metadata?: object; additionalMetadataFile?: string } };
    };
    const { metadata, additionalMetadataFile = '' } = stack.artifacts.Muster;
    const said = JSON.stringify(metadata ?? JSON.parse(readFileSync(join(outdir, additionalMetadataFile), 'utf8')));
    expect(said.match(/\[ack: muster:\w+\]/g)).toEqual(['[ack: muster:alarmEmail]', '[ack: muster:zones]']);
  });
});
