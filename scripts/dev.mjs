// The command `npm run dev` restarts the server when one of its files changes, and prints one readable line per
// request.
import { prepare, ROOT, run, runInPlace } from './prepare.mjs';

await run(async () => {
  const node = await prepare({ sites: true });
  const args = ['--watch', '--watch-preserve-output', 'src/main.ts', 'serve', ...process.argv.slice(2)];
  return runInPlace(node, args, { cwd: ROOT, env: { LOG_FORMAT: 'pretty', ...process.env } });
});
