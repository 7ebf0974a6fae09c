import { existsSync } from 'node:fs';
import path from 'node:path';
import { REGION_IDS, REGIONS, type Region } from '../contract/regions.ts';
import { type Child, startChild } from './child.ts';
import { freePort } from './ports.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run regions`: starts four regions on this machine, each a complete installation with its own database, secret
 * and address. Each region has only the addresses of the other regions.
 */
const USAGE = `Usage: npm run regions

Starts four installations, one a region, each with its own PostgreSQL and secret below DATA_DIR/<region>, on PORT and
the three ports after it (PORT=0: any free ones). BASE_URL_US, _EU, _IN and _QA name their addresses; unset, they are
those of this machine. Ctrl-C stops them all.`;
const FIRST_PORT = 4000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const { values } = readOptions({ options: { help: { type: 'boolean', short: 'h', default: false } } }, USAGE);
if (values.help) {
  say(USAGE);
  process.exit(0);
}

const dataDir = path.resolve(process.env.DATA_DIR || 'data', existsSync('data/postgres') ? 'regions' : '.');
const firstPort = Number(process.env.PORT ?? FIRST_PORT);
const children = new Map<Region, Child>();
let isUp = false;
let stopping: Promise<void> | null = null;

function stop(code: number): void {
  stopping ??= (async () => {
    say('\nStopping…');
    await Promise.all([...children.values()].map((child) => child.stop()));
    say('Stopped.');
    process.exit(code);
  })();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0));

const ports = new Map<Region, number>();
for (const [index, region] of REGION_IDS.entries()) {
  ports.set(region, firstPort === 0 ? await freePort() : firstPort + index);
}
const baseUrls = Object.fromEntries(
  REGION_IDS.map((region) => {
    const name = `BASE_URL_${region.toUpperCase()}`;
    return [name, process.env[name] ?? `http://127.0.0.1:${ports.get(region)}`];
  }),
);

say(`Starting ${REGION_IDS.length} regions…`);
for (const region of REGION_IDS) {
  const env = {
    LOG_LEVEL: 'warn',
    ...process.env,
    ...baseUrls,
    PARLEY_REGION: region,
    PORT: String(ports.get(region)),
    DATA_DIR: path.join(dataDir, region),
    // Each region has its own database and secret, even if the variables for a single installation are set.
    DATABASE_URL: undefined,
    PARLEY_SECRET: undefined,
  };
  const onLine = (name: string, line: string): void => {
    if (isUp || line.startsWith('{') || line.startsWith('parley:')) say(`${name}  ${line}`);
  };
  children.set(region, startChild({ name: region, role: 'all', env, onLine }));
}

try {
  await Promise.all([...children.values()].map((child) => child.ready()));
  isUp = true;
  for (const [region, child] of children) {
    say(`\n━━ ${region}  ${REGIONS[region]}  ${path.join(dataDir, region)}`);
    say(
      child
        .output()
        .replaceAll(/^\{.*\n/gm, '')
        .trim(),
    );
  }
  say('\nA key of one region is refused by the others with the address of its own. Ctrl-C stops everything.\n');
} catch (error) {
  process.stderr.write(`regions: ${(error as Error).message}\n`);
  stop(1);
}
