// Installs missing packages, builds the requested parts (`--program`, `--sites`) and exits. `npm start` and ./parley
// call this script if a part is missing or out of date. The command `npm run build` always calls this script. Any
// version of Node can parse this file, because it must be able to report that Node is too old.
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
    await setup.prepare({
      program: process.argv.indexOf('--program') > 0,
      sites: process.argv.indexOf('--sites') > 0,
    });
    return 0;
  });
});
