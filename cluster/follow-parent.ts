/**
 * Node loads this module before a child's own program. If the launcher ends, the child stops gracefully instead of
 * running forever.
 */
const parent = process.ppid;
const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();
