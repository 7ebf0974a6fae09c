import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A group of processes that share a fraction of one processor. */
export type ProcessorLimit = { add(pids: readonly number[]): void; remove(): void };

const ROOT = '/sys/fs/cgroup';
const PERIOD_MICROS = 20_000;

/**
 * The value 0.1 of `share` means a tenth of one core. Returns null if this system does not allow the limit, which needs
 * cgroups and root.
 */
export function limitProcessor(name: string, share: number): ProcessorLimit | null {
  const isUnified = existsSync(path.join(ROOT, 'cgroup.controllers'));
  const parent = isUnified ? ROOT : path.join(ROOT, 'cpu');
  const folder = path.join(parent, `parley-bench-${process.pid}-${name}`);
  const write = (file: string, text: string): void => writeFileSync(path.join(folder, file), text);
  const quota = String(Math.round(PERIOD_MICROS * share));
  try {
    if (isUnified) writeFileSync(path.join(ROOT, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(folder);
    if (isUnified) write('cpu.max', `${quota} ${PERIOD_MICROS}`);
    else {
      write('cpu.cfs_period_us', String(PERIOD_MICROS));
      write('cpu.cfs_quota_us', quota);
    }
  } catch {
    return null;
  }
  return {
    add: (pids) => move(pids, folder),
    remove: () => {
      move(readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number), parent);
      rmdirSync(folder);
    },
  };
}

function move(pids: readonly number[], to: string): void {
  for (const pid of pids) {
    try {
      writeFileSync(path.join(to, 'cgroup.procs'), String(pid));
    } catch {
      // The process has just ended, so it needs no limit.
    }
  }
}
