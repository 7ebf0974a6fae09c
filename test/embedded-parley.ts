import { StartError } from '../src/kernel/start-error.ts';
import { startEmbeddedPostgres } from '../src/store/embedded/start-embedded-postgres.ts';

/**
 * The smallest program with an embedded database, `node test/embedded-parley.ts DATA_DIR`. Some tests kill this
 * program. The program prints one line of JSON when ready, and stops on SIGTERM. An error goes to stderr in the format
 * of main, with exit code 1.
 */
const say = (text: string): void => console.error(text);

try {
  const dataDir = process.argv[2]!;
  const postgres = await startEmbeddedPostgres({ dataDir, log: { info: say, warn: say, error: say } });
  process.on('SIGTERM', () => {
    void postgres.stop().then(() => process.exit(0));
  });
  console.log(JSON.stringify({ url: postgres.url, fresh: postgres.fresh, postmaster: postgres.pid() }));
  setInterval(() => {}, 60_000);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(`${error.message} ${error.fix}`);
  process.exitCode = 1;
}
