import { appendFileSync, existsSync } from 'node:fs';
import { readOptions } from '../../cluster/read-options.ts';
import { PGBOUNCER } from '../pgbouncer.ts';
import { createRandom } from './random.ts';
import { startRegion } from './region.ts';
import { elapsedSince } from './stalls.ts';
import {
  bugs,
  crashes,
  findings,
  hunt,
  impatientRegion,
  modelRegion,
  modelScenarios,
  poolerScenarios,
  redisScenarios,
  scenarios,
  startRedis,
} from './suite.ts';
import type { Scenario } from './trial.ts';

/**
 * Runs the fault suite. PARLEY_FAULT_SEED repeats a run. The timing of the machine cannot be repeated, so a finding
 * contains all known data. After PARLEY_FAULT_UNTIL (seconds since 1970), no scenario and no planted bug begins, and the
 * output lists the names of those that did not run.
 */
const USAGE = `Usage: npm run test:faults -- [NAME…] [--times N] [--no-bugs]

Every scenario, every crash point, every fault of Redis and every planted bug, once. NAME… takes those whose names begin
with it ("bugs": all that are planted). --times N does it N times, each with a seed of its own, and stops at the first
failure. --no-bugs leaves the planted bugs out. PARLEY_FAULT_SEED repeats what was decided by chance.`;

const { values, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      times: { type: 'string', default: '1' },
      bugs: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowNegative: true,
  },
  USAGE,
);
const times = Number(values.times);
if (values.help || !Number.isInteger(times) || times < 1) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}
const first = process.env.PARLEY_FAULT_SEED ?? String(Math.floor(Math.random() * 1_000_000));
const begun = performance.now();
const until = Number(process.env.PARLEY_FAULT_UNTIL ?? Infinity) * 1_000;
const failures: string[] = [];
const skipped: string[] = [];
let passed = 0;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => end(`ended by ${name}`));

const isWanted = (name: string) => positionals.length === 0 || positionals.some((one) => name.startsWith(one));
/** A series of twenty runs ends at the first failure. */
const isOver = () => times > 1 && failures.length > 0;
const isLate = () => Date.now() > until;

function end(why?: string): never {
  if (why !== undefined) failures.push(why);
  for (const failure of failures) console.log(`  ${failure}`);
  const notRun = skipped.length > 0 ? [`Not run, because the time was over: ${skipped.join(', ')}`] : [];
  for (const line of notRun) console.log(`  ${line}`);
  console.log(`${minutesSince(begun)} minutes`);
  const counts = `${passed} passed, ${failures.length} failed`;
  const tally = skipped.length > 0 ? `${counts}, ${skipped.length} skipped` : counts;
  // scripts/tally.mjs prints this line after our exit.
  const lines = [...failures.map((failure) => `Failed: ${failure}`), ...notRun, tally];
  if (process.env.TALLY_FILE) appendFileSync(process.env.TALLY_FILE, `${lines.join('\n')}\n`);
  else console.log(tally);
  process.exit(failures.length === 0 ? 0 : 1);
}

const minutesSince = (from: number): string => ((performance.now() - from) / 60_000).toFixed(1);

async function report(name: string, seed: string, work: () => Promise<string[]>): Promise<void> {
  if (isOver()) return;
  if (isLate()) return void skipped.push(name);
  const from = performance.now();
  const found = await work().catch((error: Error) => [`broke off: ${error.stack}`]);
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  const stalled = (performance.now() - from - elapsedSince(from).ms) / 1_000;
  const busy = stalled < 0.5 ? '' : `, ${stalled.toFixed(1)} of them without a processor`;
  console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s${busy})`);
  for (const text of found) console.log(`         ${text}`);
  if (found.length === 0) passed += 1;
  else failures.push(`${name}, PARLEY_FAULT_SEED=${seed}`);
}

async function runAll(list: readonly Scenario[], seed: string, start: () => ReturnType<typeof startRegion>) {
  const wanted = list.filter(({ name }) => isWanted(name));
  if (wanted.length === 0 || isOver()) return;
  if (isLate()) return void skipped.push(...wanted.map(({ name }) => name));
  const region = await start();
  try {
    for (const scenario of wanted) await report(scenario.name, seed, () => findings(region, scenario, seed));
  } finally {
    await region.close();
  }
}

async function runRedis(seed: string): Promise<void> {
  const program = process.env.TEST_REDIS_SERVER ?? '/usr/bin/redis-server';
  if (!redisScenarios.some(({ name }) => isWanted(name)) || isOver()) return;
  if (!existsSync(program)) {
    console.log('skipped: the scenarios with Redis; there is no redis-server here');
    return;
  }
  const redis = await startRedis(program);
  await runAll(redisScenarios, seed, () => startRegion({ env: { REDIS_URL: redis.url } }));
  await redis.stop();
}

async function runPooler(seed: string): Promise<void> {
  if (!poolerScenarios.some(({ name }) => isWanted(name)) || isOver()) return;
  if (PGBOUNCER === undefined) {
    console.log('skipped: the scenarios behind PgBouncer; there is no pgbouncer here');
    return;
  }
  await runAll(poolerScenarios, seed, () => startRegion({ isPooled: true }));
}

async function runBugs(seed: string): Promise<void> {
  // The order depends on the seed, so that runs that end early plant different bugs.
  for (const bug of createRandom(seed).shuffle(bugs)) {
    if (!isWanted('bugs') && !isWanted(bug.name)) continue;
    await report(`planted: ${bug.name}`, seed, async () => {
      const { found, findings } = await hunt(bug, seed);
      return found
        ? []
        : [`the planted bug was not found; "${bug.scenario}" said: ${findings.join('; ') || 'nothing'}`];
    });
  }
}

for (let time = 1; time <= times && !isOver(); time++) {
  const seed = time === 1 ? first : `${first}-${time}`;
  const from = performance.now();
  console.log(`Time ${time} of ${times}: PARLEY_FAULT_SEED=${seed}`);
  await runAll(scenarios, seed, () => startRegion());
  await runAll(modelScenarios, seed, modelRegion);
  await runAll(crashes(), seed, impatientRegion);
  await runRedis(seed);
  await runPooler(seed);
  if (values.bugs) await runBugs(seed);
  if (times > 1 && !isOver()) console.log(`Time ${time} of ${times} passed in ${minutesSince(from)} minutes`);
}
if (passed + failures.length + skipped.length === 0) end(`nothing is called "${positionals.join('", "')}"`);
end();
