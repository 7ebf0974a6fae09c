// `npm run dev`: the server restarts whenever one of its files changes, and shows one readable line a request.
import { prepare, ROOT, run, runInPlace } from './prepare.mjs';

await run(async () => {
  const node = await prepare({ dashboard: true });
  const args = ['--watch', '--watch-preserve-output', 'src/main.ts', 'serve', ...process.argv.slice(2)];
  return runInPlace(node, args, { cwd: ROOT, env: { LOG_FORMAT: 'pretty', ...process.env } });
});
