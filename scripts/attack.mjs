/** `npm run attack`: starts a server and sends it random requests of every kind (docs/security.md). */
import path from 'node:path';
import { prepare, ROOT, run, runInPlace } from './prepare.mjs';

await run(async () => {
  const node = await prepare({ sites: true });
  const env = { ...process.env };
  env.PATH = `${path.join(ROOT, 'node_modules', '.bin')}${path.delimiter}${env.PATH ?? ''}`;
  return runInPlace(node, ['test/attack/run.ts', ...process.argv.slice(2)], { cwd: ROOT, env });
});
