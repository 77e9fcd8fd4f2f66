import { someFolders } from '../../../../../test/e2e/a-local-runtime.ts';
import { huntCrashes } from './hunt-crashes.ts';
import { huntLeaks } from './hunt-leaks.ts';

// Prints what is found, as JSON: planted-leaks.test.ts runs this with a leak in the code. `crashes`: nothing but those.

const [only] = process.argv.slice(2);

const folders = someFolders();
try {
  const findings = [...(await huntCrashes()), ...(only === 'crashes' ? [] : await huntLeaks(folders))];
  process.stdout.write(JSON.stringify(findings));
} finally {
  folders.remove();
}
