// Prints the files of a test run's report whose process died, one a line; none if a test failed.
import { readFileSync } from 'node:fs';

const { numFailedTests, testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const lost = testResults.filter(({ assertionResults }) => assertionResults.some(({ status }) => status === 'pending'));
if (numFailedTests === 0) for (const { name } of lost) console.log(name);
