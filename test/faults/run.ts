import { createRandom } from './random.ts';
import { startRegion } from './region.ts';
import { databaseScenarios } from './scenarios/database.ts';
import { nodeScenarios } from './scenarios/nodes.ts';
import { runTrial } from './trial.ts';

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
const seed = process.env.PARLEY_FAULT_SEED ?? String(Date.now() % 1_000_000);
const only = process.argv.slice(2);
const t0 = performance.now();
const region = await startRegion();
console.log('up', (performance.now() - t0) | 0, 'seed', seed);
for (const scenario of [...nodeScenarios, ...databaseScenarios]) {
  if (only.length && !only.includes(scenario.name)) continue;
  const begun = performance.now();
  const found = await runTrial(region, scenario, createRandom(seed).branch(scenario.name)).catch((e) => [
    String(e.stack),
  ]);
  console.log(scenario.name, ((performance.now() - begun) / 1000).toFixed(1), found.length ? found : 'ok');
}
for (const node of [...region.api, ...region.workers]) require_log(node.output());
function require_log(t: string) {
  if (process.env.SHOW) console.log(t.slice(-3000));
}
await region.close();
process.exit(0);
