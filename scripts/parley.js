#!/usr/bin/env node
// The command `parley` of the built program: `parley` and `parley serve` run the server in this process, everything
// else is the command line. Old syntax first, because an old Node must be able to read why it cannot go on.
const major = parseInt(process.versions.node, 10);
if (major < 24) {
  console.error(
    'Parley needs Node.js 24 or newer (this is ' + process.version + '). Install it from https://nodejs.org.',
  );
  process.exit(1);
}

const { enableCompileCache } = await import('node:module');
const path = await import('node:path');
// Compiled once and read on later starts. Inside the package, where only its owner writes.
if (!process.env.NODE_COMPILE_CACHE) enableCompileCache(path.join(import.meta.dirname, '.cache'));

// A killed npm notifies no one: what it started would run forever.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 500).unref();
}

const args = process.argv.slice(2);
const serves = args.length === 0 || args[0] === 'serve';
// Help and failures as JSON are the command line's.
const asks = args.some((arg) => arg === '--help' || arg === '-h' || arg === '--json');
await import(serves && !asks ? './src/main.js' : './cli/main.js');
