/**
 * Loaded before a child's own program: when the launcher is gone, the child stops in order instead of running forever.
 */
const parent = process.ppid;
const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();
