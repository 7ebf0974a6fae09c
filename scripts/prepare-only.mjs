// Installs what is missing and ends. For ./parley in a clone that has never been started.
import { prepare, run } from './prepare.mjs';

await run(async () => {
  await prepare();
  return 0;
});
