import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const BOM = join(import.meta.dirname, '../../bom.mjs');
const WHOLE = { name: 'muster-jobs', version: '0.1.0', license: 'Apache-2.0', private: true };
const PARTS = [{ name: '@s/c', version: '1.2.3', license: '(Apache-2.0 AND BSD-3-Clause)', title: 'c' }];

test('a bundle lists its packages by their package URLs', () => {
  const program = `import { bomOf } from ${JSON.stringify(BOM)};
    console.log(JSON.stringify(bomOf(${JSON.stringify(WHOLE)}, ${JSON.stringify(PARTS)})))`;
  const { stdout } = spawnSync('node', ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': 'pkg:npm/muster-jobs@0.1.0',
        name: 'muster-jobs',
        version: '0.1.0',
        licenses: [{ expression: 'Apache-2.0' }],
        purl: 'pkg:npm/muster-jobs@0.1.0',
      },
    },
    components: [
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40s/c@1.2.3',
        name: '@s/c',
        version: '1.2.3',
        licenses: [{ expression: '(Apache-2.0 AND BSD-3-Clause)' }],
        purl: 'pkg:npm/%40s/c@1.2.3',
      },
    ],
  });
});
