import { availableParallelism, cpus, loadavg } from 'node:os';
import { readOptions } from '../cluster/read-options.ts';
import { type Plan, SETTING } from './compare.ts';
import { GENERATOR } from './load.ts';
import { accept } from './sections/accept.ts';
import { citus } from './sections/citus.ts';
import { counts } from './sections/cluster/counts.ts';
import { noisy } from './sections/cluster/noisy.ts';
import { renewals } from './sections/cluster/renewals.ts';
import { revoke } from './sections/cluster/revoke.ts';
import { throughput } from './sections/cluster/throughput.ts';
import { verify } from './sections/cluster/verify.ts';
import { words } from './sections/cluster/words.ts';
import { dashboard } from './sections/dashboard.ts';
import { database } from './sections/database.ts';
import { drain } from './sections/drain.ts';
import { endUsers } from './sections/end-users.ts';
import { growth } from './sections/growth.ts';
import { keys } from './sections/keys.ts';
import { me } from './sections/me.ts';
import { memory } from './sections/memory.ts';
import { postgres } from './sections/postgres.ts';
import { push } from './sections/push.ts';
import { rehearsal } from './sections/rehearsal.ts';
import { send } from './sections/send.ts';
import { upsert } from './sections/upsert.ts';

/** `npm run bench -- [SECTION…]`: docs/benchmarks.md explains each number. */
const SECTIONS: Record<string, [title: string, measure: (plan: Plan) => Promise<string[]>]> = {
  me: ['Verifying a key', me],
  accept: ['Accepting trigger calls', accept],
  send: ['Accepting channel sends', send],
  upsert: ['Keeping end users in step', upsert],
  push: ['Pushing campaign recipients', push],
  rehearsal: ['Rehearsing a campaign', rehearsal],
  'end-users': ['Lists of a thousand and of a million end users', endUsers],
  growth: ['Lists, searches and counts of a small and of a large organization', growth],
  drain: ['Working off the queue', drain],
  keys: ['Verifying among many keys', keys],
  memory: ['Memory: idle, after many calls, for keys and knowledge', memory],
  database: ["The database's own limit", database],
  postgres: ['The PostgreSQL of this system over TCP, against the embedded one', postgres],
  dashboard: ['The dashboard, on lists of ten thousand', dashboard],
  verify: ['Verifying in memory, by SELECT, and not at all, on one and three processes', verify],
  revoke: ['Revoking with three nodes', revoke],
  renewals: ['Holding leases, by the number of nodes', renewals],
  throughput: ['Accepting on one, two and three processes', throughput],
  counts: ['What one accepted call costs the database and Redis', counts],
  words: ['The first words of a model, in another process than the reader', words],
  citus: ['Parley on Citus, against plain PostgreSQL 15', citus],
  noisy: ['A tenant at a hundred times its limit, and the others', noisy],
};
/** A group gives one name to all sections that support docs/scaling.md. */
const GROUPS: Record<string, string[]> = {
  cluster: ['verify', 'revoke', 'renewals', 'throughput', 'counts', 'noisy'],
};

const USAGE = `Usage: npm run bench -- [${[...Object.keys(SECTIONS), ...Object.keys(GROUPS)].join('|')} …] [--rounds N] [--seconds N] [--scale 0.1]`;

const { values, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      scale: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  },
  USAGE,
);
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const plan: Plan = { rounds: Number(values.rounds), seconds: Number(values.seconds), scale: Number(values.scale) };
const chosen = positionals.flatMap((name) => GROUPS[name] ?? [name]);
const wrong = chosen.filter((name) => !(name in SECTIONS));
if (wrong.length > 0 || Object.values(plan).some((number) => !(number > 0))) {
  console.error(USAGE);
  process.exit(1);
}

console.log(
  `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores shared by everything, Node ${process.versions.node}`,
);
console.log(`${GENERATOR}, ${SETTING}, ${plan.rounds} rounds of ${plan.seconds} s in turns, medians (least–most)`);
if (GENERATOR === 'autocannon') {
  console.log(
    'CAUTION: autocannon is slower than a bare server, so ratios come out too high; install wrk for true ones.',
  );
}
// Other load of the machine affects Parley and the baseline at different times, so single rounds are not meaningful.
const busy = loadavg()[0]! / availableParallelism();
if (busy > 0.5)
  console.log(`CAUTION: the machine is busy already (load ${loadavg()[0]!.toFixed(1)}); repeat this when it is idle.`);
for (const name of chosen.length > 0 ? chosen : Object.keys(SECTIONS)) {
  const [title, measure] = SECTIONS[name]!;
  console.log(`\n${title} (${name})`);
  for (const line of await measure(plan)) console.log(`  ${line}`);
}
