import { call } from '../ledger.ts';
import type { Node } from '../node.ts';
import type { Scenario, Trial } from '../trial.ts';
import type { Fault, Where } from '../tcp-proxy.ts';
import { inTime } from './nodes.ts';

/** Tests faults of the database and of its network. */
export const databaseScenarios: Scenario[] = [
  {
    name: 'listener-killed',
    expects: 'without NOTIFY a revoke is equally strict, and takes at most a lease',
    async run(trial) {
      await trial.region.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley api listen'`,
      );
      await inTime(trial, () => trial.revoke(trial.node()));
      for (const node of trial.region.api) node.proxy.set({ kind: 'black hole' }, { only: 'parley api listen' });
      for (const node of trial.region.api) await inTime(trial, () => trial.revoke(node));
    },
  },
  ...(['reset', 'black hole', 'delay', 'cut'] as const).map((kind): Scenario => ({
    name: `cut-${kind.replace(' ', '-')}`,
    expects: `a node with a faulty connection to the database (${kind}) answers 503, never 401 or 404, and delays a revoke by at most a lease`,
    async run(trial) {
      const { random } = trial;
      const victim = trial.node();
      const fault: Record<typeof kind, () => Fault> = {
        reset: () => ({ kind: 'reset' }),
        'black hole': () => ({ kind: 'black hole' }),
        delay: () => ({ kind: 'delay', ms: random.between(50, 700) }),
        cut: () => ({ kind: 'cut', afterBytes: random.between(1, 4_000) }),
      };
      await cut(trial, victim, fault[kind](), { direction: random.pick([null, 'up', 'down'] as const) });
    },
  })),
  {
    name: 'cut-all',
    expects: 'without any connection to the database every answer is 503 or late; afterwards everything works again',
    async run(trial) {
      const kind = trial.random.pick(['reset', 'black hole'] as const);
      for (const node of trial.region.api) node.proxy.set({ kind });
      await trial.pause(trial.random.between(1_200, 2_500));
      for (const node of trial.region.api) node.proxy.heal();
    },
  },
  {
    name: 'late-statement',
    expects:
      'a statement that a node sends while its key is being revoked, and that arrives seconds later, writes nothing',
    async run(trial) {
      const { ledger, tenant } = trial;
      const victim = trial.node();
      victim.proxy.set({ kind: 'delay', ms: 3_500 }, { direction: 'up', only: 'parley api' });
      const keys = trial.random.shuffle(tenant.keys.map((_, at) => at)).slice(0, 5);
      const sent = keys.map((key) => call(ledger, tenant, victim, key, 'trigger', `${tenant.orgId}-late-${key}`));
      await trial.pause(150);
      for (const key of keys) await inTime(trial, () => trial.revoke(trial.node(victim), key));
      await trial.pause(4_500);
      victim.proxy.heal();
      await Promise.all(sent);
    },
  },
  {
    name: 'answers-lost',
    expects: 'a call whose commit was not confirmed is "unknown", never "not done"',
    async run(trial) {
      const victim = trial.node();
      // The statements arrive and commit, but the answers do not arrive.
      victim.proxy.set({ kind: 'black hole' }, { direction: 'down', only: 'parley api' });
      await trial.pause(300);
      victim.proxy.breakAll();
      await trial.pause(300);
      victim.proxy.heal();
    },
  },
  {
    name: 'late-fill',
    expects: 'an answer about a key that was requested before its revoke, and arrives after it, is not used',
    callers: 0,
    async run(trial) {
      const [victim, other] = [trial.region.api[0]!, trial.region.api[1]!];
      // The revoke must fall between the look-up in the database and the arrival of its answer, on a busy machine too.
      const { ledger, tenant } = trial;
      for (let n = 0; n < 10; n++) {
        // The connection is already open, because opening a connection needs several responses.
        await call(ledger, tenant, victim, 10 + n, 'me');
        victim.proxy.set({ kind: 'delay', ms: 400 }, { direction: 'down', only: 'parley api' });
        const asked = call(ledger, tenant, victim, n, 'me');
        await trial.pause(40 + 25 * n);
        await trial.revoke(other, n);
        await asked;
        // The repeated calls arrive before the responses to the calls that checked the revoke. The responses to the
        // calls that checked the revoke would replace the cached value.
        for (let again = 0; again < 3; again++) await call(ledger, tenant, victim, n, 'me');
        victim.proxy.heal();
      }
    },
  },
  ...(['fast', 'immediate'] as const).map((how): Scenario => ({
    name: `restart-${how}`,
    expects: `the database stopped (${how}) and started: 503 in between, nothing acknowledged is lost, revokes hold`,
    async run(trial) {
      const before = trial.revoke(trial.node());
      await trial.pause(trial.random.between(0, 20));
      await trial.region.database.restart(how, trial.random.between(0, 1_500));
      await before;
      await trial.pause(trial.random.between(0, 700));
      await trial.revoke(trial.node());
    },
  })),
  {
    name: 'failover',
    expects: 'the primary killed and its synchronous standby promoted: nothing acknowledged is lost, revokes hold',
    async run(trial) {
      const { region, random } = trial;
      await region.database.addStandby();
      await trial.pause(random.between(100, 400));
      await trial.revoke(trial.node());
      const last = trial.revoke(trial.node());
      await trial.pause(random.between(0, 20));
      await region.database.failOver();
      region.followPrimary();
      await last;
      await trial.revoke(trial.node());
    },
  },
];

const pooledFaults: Scenario[] = [
  ...databaseScenarios,
  {
    name: 'pooler-restart',
    expects: 'PgBouncer killed and started: 503 in between, nothing acknowledged is lost, revokes hold',
    async run(trial) {
      const before = trial.revoke(trial.node());
      await trial.pause(trial.random.between(0, 20));
      await trial.region.pooler!.restart(trial.random.between(0, 1_500));
      await before;
      await trial.revoke(trial.node());
    },
  },
];
/** Tests the same faults while every process reaches the database through PgBouncer in transaction mode. */
export const poolerScenarios = pooledFaults.map((scenario) => ({ ...scenario, name: `pooled-${scenario.name}` }));

async function cut(trial: Trial, victim: Node, fault: Fault, where: Where): Promise<void> {
  victim.proxy.set(fault, where);
  const healed = trial.pause(trial.random.between(1_500, 3_000)).then(() => victim.proxy.heal());
  await inTime(trial, () => trial.revoke(trial.node(victim)));
  await inTime(trial, () => trial.revoke(trial.node(victim)));
  await healed;
}
