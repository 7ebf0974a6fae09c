import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const HAS_LONG = /@module-tag long|'long'/;

/** The long tests, which `npm run test:faults` runs: one after another, since each trial needs the machine for itself. */
export default defineConfig({
  test: {
    ...base.test,
    include: globSync(base.test!.include!).filter((file) => HAS_LONG.test(readFileSync(file, 'utf8'))),
    exclude: ['**/node_modules/**'],
    maxWorkers: 1,
    // Several programs start in each trial, a minute or two on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
