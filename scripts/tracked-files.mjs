import { spawnSync } from 'node:child_process';

/** Lists the files that Git tracks below `root` and that match one of the pathspecs, relative to `root`. */
export function trackedFiles(root, ...pathspecs) {
  const listed = spawnSync('git', ['ls-files', '-z', '--', ...pathspecs], { cwd: root, encoding: 'utf8' });
  if (listed.status !== 0) throw new Error(listed.stderr);
  return listed.stdout.split('\0').filter(Boolean);
}
