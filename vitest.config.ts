import { defineConfig } from 'vitest/config';

/** Planted faults must turn tests red: they have a command of their own. */
const ELSEWHERE = ['test/planted/**'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ELSEWHERE,
    maxWorkers: 2, // half of them wait for processes, engines and kubectl most of the time
    pool: 'forks', // tests start servers and children; what a process holds dies with it
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
