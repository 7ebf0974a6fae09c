/** `npm run regions`: prepares everything, then starts four regions on one machine. */
import { prepare, ROOT, run, runInPlace } from './prepare.mjs';

await run(async () => {
  const node = await prepare({ program: true, sites: true });
  return runInPlace(node, ['cluster/regions.ts', ...process.argv.slice(2)], { cwd: ROOT });
});
