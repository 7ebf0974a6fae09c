// Installs what is missing and exits. For ./parley in a clone that was never started; with --dashboard (`npm run
// build`) it also builds the files for browsers, so that a later start has no work left.
import { prepare, run } from './prepare.mjs';

await run(async () => {
  await prepare({ dashboard: process.argv.includes('--dashboard') });
  return 0;
});
