// Installs what is missing and ends. For ./parley in a clone that has never been started; with --dashboard (`npm run
// build`) what browsers get as well, so that a later start has nothing left to do.
import { prepare, run } from './prepare.mjs';

await run(async () => {
  await prepare({ dashboard: process.argv.includes('--dashboard') });
  return 0;
});
