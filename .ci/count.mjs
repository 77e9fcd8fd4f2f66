// Adds up what the steps and the test runner left in a folder and prints it as the last line; exits 1 if anything failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const files = readdirSync(folder);
const count = { passed: 0, failed: 0 };
const reds = [];
const failedSteps = [];
const LAST_LINES = 40;

for (const name of files.filter((file) => file.endsWith('.step')).map((file) => file.slice(0, -'.step'.length))) {
  const stepPassed = readFileSync(join(folder, `${name}.step`), 'utf8').trim() === 'passed';
  const ran = { passed: 0, failed: 0 };
  for (const file of [`${name}.json`, `${name}-lost.json`].filter((file) => files.includes(file))) {
    const { passed, failed } = testsOf(file);
    ran.passed += passed;
    ran.failed += failed;
  }
  // A step without tests counts as one; so does one that failed although no test of it did (a crash, a file that does not load).
  if (ran.passed + ran.failed === 0 || (!stepPassed && ran.failed === 0)) ran[stepPassed ? 'passed' : 'failed'] += 1;
  if (!stepPassed) failedSteps.push(name);
  console.log(`${name}: ${ran.passed} passed, ${ran.failed} failed`);
  count.passed += ran.passed;
  count.failed += ran.failed;
}

const logs = failedSteps.map((name) => `${name}.log`);
for (const file of files.filter((file) => file.endsWith('.first-try') || logs.includes(file))) {
  const lines = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
  console.log(`\n=== the last lines of ${file}, which failed\n${lines.slice(-LAST_LINES).join('\n')}`);
}
for (const red of [...failedSteps.map((name) => `the step ${name}`), ...reds]) console.log(`failed: ${red}`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 && count.passed > 0 ? 0 : 1;

function testsOf(file) {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const { assertionResults } of testResults) {
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'failed') reds.push(`${fullName}: ${(failureMessages[0] ?? '').slice(0, 500)}`);
  }
  return { passed: numPassedTests, failed: numFailedTests };
}
