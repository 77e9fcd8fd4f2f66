import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTINGS_MATRIX } from '../cdk/settings-matrix.ts';
import { musterTemplate } from '../cdk/template.ts';
import { installed } from './installed.ts';

/** Its program, which cannot be found by the name of its package. */
const MAIN = 'import sys; from cfnlint.runner import main; sys.exit(main())';
const FOLDER = join(import.meta.dirname, '../../.engines/cfn-lint');

/** Two that have everything, and all in which Fargate lacks zones, of which one is in another partition. */
const REGIONS = ['us-east-1', 'eu-central-1', 'us-west-1', 'ap-northeast-1', 'cn-north-1'];

/** A dependency that a reference implies: CDK names it, and CloudFormation does not mind. */
const IGNORED = ['W3005'];

/** What cfn-lint says about templates, `<file>:<rule>: <sentence>` a line. */
function lint(templates: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cfn-lint-'));
  try {
    const files = Object.entries(templates).map(([name, template]) => {
      const file = join(folder, `${name.replaceAll(' ', '-')}.json`);
      writeFileSync(file, template);
      return file;
    });
    const options = ['--regions', ...REGIONS, '--ignore-checks', ...IGNORED, '--format', 'parseable'];
    execFileSync('python3', ['-c', MAIN, ...options, '--', ...files], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: FOLDER },
    });
    return [];
  } catch (error) {
    // Its exit code says how bad it is, and is not 0 for a warning either.
    const { stdout = '' } = error as { readonly stdout?: string };
    if (stdout === '') throw error;
    return stdout.trim().split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.runIf(installed('cfn-lint'))('cfn-lint', () => {
  test('finds nothing in the template, whatever the settings', () => {
    const templates = Object.entries(SETTINGS_MATRIX).map(([name, settings]) => [
      name,
      musterTemplate(settings).json(),
    ]);
    expect(templates.length).toBeGreaterThan(12);
    expect(lint(Object.fromEntries(templates) as Record<string, string>)).toEqual([]);
  });

  test('finds what CloudFormation would refuse', () => {
    const wrong = musterTemplate().json().replace('"VisibilityTimeout": 180', '"VisibilityTimeout": 999999');
    expect(lint({ wrong })).toEqual([expect.stringMatching(/E3034.*999999/)]);
  });
});
