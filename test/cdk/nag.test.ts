import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { FLAGS, MusterStack } from '../../cdk/muster-stack.ts';
import { readSettings } from '../../cdk/settings.ts';
import { NAG_EXCEPTIONS } from './nag-exceptions.ts';
import { SETTINGS_MATRIX } from './settings-matrix.ts';

// The rules of cdk-nag's packs AwsSolutions and Serverless. What they find is mended, or is an exception with its reason.

const Report = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({ ruleName: z.string(), violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
      ),
    }),
  ),
});

type Finding = { readonly rule: string; readonly path: string };

function findings(context: Readonly<Record<string, string>>): readonly Finding[] {
  const outdir = mkdtempSync(join(tmpdir(), 'muster-nag-'));
  const { CDK_VALIDATION: before } = process.env;
  try {
    delete process.env['CDK_VALIDATION'];
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context }, postCliContext: FLAGS, outdir });
    new MusterStack(app, 'Muster', { settings: readSettings((key) => app.node.tryGetContext(key)) });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).toThrow('Acknowledge with');
    const { pluginReports } = Report.parse(JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')));
    return pluginReports.flatMap(({ violations }) =>
      violations.flatMap(({ ruleName, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath }) => ({ rule: ruleName, path: constructPath })),
      ),
    );
  } finally {
    if (before !== undefined) process.env['CDK_VALIDATION'] = before;
    rmSync(outdir, { recursive: true, force: true });
  }
}

test('each finding is an exception with a reason, and each exception is still found', () => {
  const found = ['defaults', 'own VPC', 'no access log', 'auth', 'everything'].flatMap((name) =>
    findings(SETTINGS_MATRIX[name]!),
  );
  expect(found.length).toBeGreaterThan(0);
  const open = found.filter(
    ({ rule, path }) => !NAG_EXCEPTIONS.some((each) => each.rule.test(rule) && each.at.test(path)),
  );
  expect(open).toEqual([]);
  const stale = NAG_EXCEPTIONS.filter(
    (each) => !found.some(({ rule, path }) => each.rule.test(rule) && each.at.test(path)),
  );
  expect(stale.map(({ rule, because }) => `${rule}: ${because}`)).toEqual([]);
});
