import type { ChildProcess } from 'node:child_process';

/** Kills all processes at the end, so that a failed run leaves no processes. */
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export function killAtExit(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}
