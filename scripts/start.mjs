// `npm start`: prepares everything, then starts the program. This file parses on any Node, because it must be able to
// report that Node is too old.
var major = parseInt(process.versions.node, 10);
if (major < 20) {
  console.error(
    'Parley needs Node.js 20 or newer to set itself up (this is ' +
      process.version +
      '). Install it from https://nodejs.org, and start again.',
  );
  process.exit(1);
}

void import('./prepare.mjs').then(function (setup) {
  return setup.run(async function () {
    var node = await setup.prepare({ dashboard: true });
    return setup.runInPlace(node, ['src/main.ts', 'serve'].concat(process.argv.slice(2)), { cwd: setup.ROOT });
  });
});
