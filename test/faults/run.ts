import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bugs, crashes, findings, hunt, impatientRegion, redisScenarios, scenarios, startRedis } from './suite.ts';
import { startRegion } from './region.ts';
import type { Scenario } from './trial.ts';

/**
 * `npm run test:faults -- [NAME…] [--rounds N] [--no-bugs]`: the long form. Every scenario, every crash point, every
 * Redis fault, N times with a seed each, and every planted bug once. PARLEY_FAULT_SEED repeats a run; what depends on
 * when the machine does what cannot be repeated, so a finding says all it knows.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '1' }, bugs: { type: 'boolean', default: true } },
  allowNegative: true,
});
const rounds = Number(values.rounds);
const first = process.env.PARLEY_FAULT_SEED ?? String(Math.floor(Math.random() * 1_000_000));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

const failures: string[] = [];
let passed = 0;
const isWanted = (name: string) => positionals.length === 0 || positionals.some((one) => name.startsWith(one));

async function report(name: string, seed: string, work: () => Promise<string[]>): Promise<void> {
  const begun = performance.now();
  const found = await work();
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  for (const text of found) console.log(`         ${text}`);
  if (found.length === 0) passed += 1;
  else failures.push(`${name}, seed ${seed}`);
}

async function runAll(list: readonly Scenario[], seed: string, start: () => ReturnType<typeof startRegion>) {
  const wanted = list.filter(({ name }) => isWanted(name));
  if (wanted.length === 0) return;
  const region = await start();
  try {
    for (const scenario of wanted) await report(scenario.name, seed, () => findings(region, scenario, seed));
  } finally {
    await region.close();
  }
}

for (let round = 1; round <= rounds; round++) {
  const seed = round === 1 ? first : `${first}-${round}`;
  console.log(`Round ${round} of ${rounds}: PARLEY_FAULT_SEED=${seed}`);
  await runAll(scenarios, seed, () => startRegion());
  await runAll(crashes(), seed, impatientRegion);
  const program = process.env.TEST_REDIS_SERVER ?? '/usr/bin/redis-server';
  if (!existsSync(program)) console.log('skipped: the scenarios with Redis; there is no redis-server here');
  else if (redisScenarios.some(({ name }) => isWanted(name))) {
    const redis = await startRedis(program);
    await runAll(redisScenarios, seed, () => startRegion({ env: { REDIS_URL: redis.url } }));
    await redis.stop();
  }
}
if (values.bugs) {
  for (const bug of bugs) {
    if (!isWanted('bugs') && !isWanted(bug.name)) continue;
    await report(`planted: ${bug.name}`, first, async () => {
      const { found, findings } = await hunt(bug, first);
      return found
        ? []
        : [`the planted bug was not found; "${bug.scenario}" said: ${findings.join('; ') || 'nothing'}`];
    });
  }
}
console.log(`${passed} passed, ${failures.length} failed`);
for (const failure of failures) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
