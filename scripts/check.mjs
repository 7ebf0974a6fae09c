/**
 * The command `npm run check` runs all static checks of the code. The checks need less than a minute and no database.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { prepare, ROOT, run, say } from './prepare.mjs';

const bin = (...parts) => path.join(ROOT, 'node_modules', ...parts);

/**
 * Only files that changed since the last run are checked again. A check of only the changed files needs a sixth of the
 * processor time.
 */
function types(project) {
  const results = bin('.cache', 'types', `${path.basename(path.resolve(ROOT, project))}.json`);
  return [bin('typescript', 'bin', 'tsc'), '-p', project, '--noEmit', '--incremental', '--tsBuildInfoFile', results];
}

const CHECKS = [
  { name: 'format (oxfmt)', args: [bin('oxfmt', 'bin', 'oxfmt'), '--check', '.'], fix: 'npm run format' },
  { name: 'lint and import directions (oxlint)', args: [bin('oxlint', 'bin', 'oxlint')] },
  { name: 'types (tsc)', args: types('.') },
  { name: 'types of the dashboard (tsc)', args: types('dashboard') },
  { name: 'types of the web chat (tsc)', args: types('widget') },
  { name: 'types of the client library (tsc)', args: types('sdk') },
  { name: 'unused files, exports and packages (knip)', args: [bin('knip', 'bin', 'knip.js')] },
  { name: 'lockfile', args: ['scripts/check-lockfile.mjs'] },
  { name: 'migrations', args: ['scripts/check-migrations.ts'] },
  { name: 'paths and links in documents', args: ['scripts/check-docs.mjs'] },
  {
    name: 'commands in docs/cli.md',
    args: ['scripts/cli-docs.ts', '--check'],
    fix: 'node_modules/.bin/node scripts/cli-docs.ts',
  },
  { name: 'plain words', args: ['scripts/check-words.mjs'] },
  {
    name: 'names of folders',
    args: ['scripts/check-folders.mjs'],
    fix: 'name the folder by a noun of docs/glossary.md',
  },
];

await run(async () => {
  const node = await prepare();
  // Two checks run at a time, one per core of a small machine.
  const waiting = [...CHECKS];
  const failed = [];
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const { code, output, seconds } = await runCheck(node, check);
      say(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${seconds} s)`);
      if (code === 0) continue;
      failed.push(check);
      say(output.trimEnd());
      if (check.fix) say(`To correct it: ${check.fix}`);
    }
  };
  await Promise.all([worker(), worker()]);
  say(failed.length === 0 ? 'All checks passed.' : `${failed.length} of ${CHECKS.length} checks failed.`);
  return failed.length === 0 ? 0 : 1;
});

function runCheck(node, { args }) {
  const begun = Date.now();
  const child = spawn(node, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk) => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, output, seconds: ((Date.now() - begun) / 1000).toFixed(1) }));
  });
}
