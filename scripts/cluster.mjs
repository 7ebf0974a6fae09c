/** `npm run cluster -- --nodes 3 --workers 2`: prepares everything, then starts a region of several processes. */
import { prepare, ROOT, run, runInPlace } from './prepare.mjs';

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  return runInPlace(node, ['cluster/run.ts', ...process.argv.slice(2)], { cwd: ROOT });
});
