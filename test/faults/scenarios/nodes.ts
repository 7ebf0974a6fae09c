import { followReady } from '../follow-ready.ts';
import { isAccepted } from '../ledger.ts';
import { elapsedSince } from '../stalls.ts';
import { REVOKED_WITHIN_MS, type Scenario, type Trial } from '../trial.ts';

/** Tests nodes that are suspended, killed or stopped. */
export const nodeScenarios: Scenario[] = [
  {
    name: 'pause-short',
    expects: 'a node stopped for less than its lease delays a revoke for that long; no node accepts after the answer',
    run: (trial) => pauseAcross(trial, trial.random.between(200, 800)),
  },
  {
    name: 'pause-long',
    expects: 'a node stopped for longer than its lease costs a revoke one lease; when it wakes up it accepts nothing',
    run: (trial) => pauseAcross(trial, trial.random.between(2_500, 4_000)),
  },
  {
    name: 'pause-in-revoke',
    expects: 'a node stopped in the middle of its own revoke, the log locked, does not block the revokes of others',
    async run(trial) {
      const victim = trial.node();
      const other = trial.node(victim);
      // A round trip takes so long that the stop certainly falls between the first statement and the commit.
      victim.proxy.set({ kind: 'delay', ms: 150 }, { only: 'parley api' });
      const own = trial.revoke(victim);
      await lockedBy(trial);
      victim.pause();
      await inTime(trial, () => trial.revoke(other));
      victim.proxy.heal();
      victim.resume();
      await own;
    },
  },
  {
    name: 'suspend',
    expects: 'a machine that slept, with its monotonic clock stopped, has lost its lease',
    async run(trial) {
      const victim = trial.node();
      await victim.clock({ suspends: true });
      await pauseAcross(trial, 2_500, victim);
      await victim.clock({ suspends: false });
    },
  },
  {
    name: 'clock-jump',
    expects: 'the wall clock set forward and back by an hour fails no call and accepts no revoked key',
    async run(trial) {
      const victim = trial.node();
      for (const wallMs of trial.random.shuffle([3_600_000, -3_600_000, 0])) {
        await victim.clock({ wallMs });
        await inTime(trial, () => trial.revoke(trial.node(victim)));
        await inTime(trial, () => trial.revoke(victim));
        await trial.pause(200);
      }
      await victim.clock({ wallMs: 0 });
    },
  },
  {
    name: 'kill-node',
    expects: 'kill -9 of a node loses nothing that it acknowledged, and costs a revoke one lease',
    async run(trial) {
      const victim = trial.node();
      const last = trial.revoke(victim);
      await trial.pause(trial.random.between(0, 30));
      await victim.end('SIGKILL');
      await inTime(trial, () => trial.revoke(trial.node(victim)));
      await last;
      await victim.start();
    },
  },
  {
    name: 'kill-after-answer',
    expects: 'kill -9 of a node with a slow connection to the database: every answered call is stored',
    async run(trial) {
      const victim = trial.node();
      victim.proxy.set({ kind: 'delay', ms: 100 }, { direction: 'up', only: 'parley api' });
      await trial.pause(500);
      // The data that the node has sent no longer arrives.
      victim.proxy.set({ kind: 'reset' });
      await victim.end('SIGKILL');
      victim.proxy.heal();
      await victim.start();
    },
  },
  {
    name: 'kill-worker',
    expects: 'kill -9 of a worker: another worker answers its claimed runs, once',
    async run(trial) {
      for (const victim of trial.random.shuffle(trial.region.workers)) {
        await trial.pause(trial.random.between(50, 400));
        await victim.end('SIGKILL');
        await trial.pause(trial.random.between(50, 400));
        await victim.start();
      }
    },
  },
  {
    name: 'pause-worker',
    expects: 'a worker that is stopped until others have taken over its work changes nothing when it wakes up',
    async run(trial) {
      const victim = trial.random.pick(trial.region.workers);
      await trial.pause(200);
      victim.pause();
      await trial.pause(1_000);
      // Waits until no work is left except, at most, the work of the suspended worker.
      trial.after(async () => {
        await trial.pause(1_000);
      });
      await trial.pause(trial.random.between(500, 6_000));
      victim.resume();
    },
  },
  {
    name: 'rolling-stop',
    expects: 'SIGTERM of every process in turn, behind callers that follow /ready: every call is accepted',
    run: rollingStop,
    callers: 2,
  },
];

async function pauseAcross(trial: Trial, ms: number, victim = trial.node()): Promise<void> {
  const { region } = trial;
  victim.pause();
  const woken = trial.pause(ms).then(() => victim.resume());
  const others = region.api.filter((one) => one !== victim);
  await inTime(trial, () => trial.revoke(others[0]!));
  await inTime(trial, () => trial.revoke(others.at(-1)!));
  await woken;
  await inTime(trial, () => trial.revoke(victim));
  await trial.pause(300);
}

/**
 * Parley guarantees that a revoke takes at most one lease and its margin, with any number of dead or suspended nodes.
 */
export async function inTime(trial: Trial, work: () => ReturnType<Trial['revoke']>): Promise<void> {
  const begun = performance.now();
  const made = await work();
  const took = elapsedSince(begun);
  trial.expect(made.answer === 'revoked', `a revoke through ${made.node} was answered "${made.answer}"`);
  trial.expect(took.ms <= REVOKED_WITHIN_MS, `a revoke through ${made.node} took ${took.text}`);
}

/** Waits until a transaction has the lock of the change log and waits for its client. */
async function lockedBy({ region, pause, expect }: Trial): Promise<void> {
  for (const from = performance.now(); elapsedSince(from).ms < 20_000;) {
    const found = await region.rows(
      `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.relation = 'authz_clock'::regclass
         AND l.mode = 'RowExclusiveLock' AND a.state = 'idle in transaction'`,
    );
    if (found.length > 0) return;
    await pause(5);
  }
  expect(false, 'the revoke never took the lock of the change log');
}

async function rollingStop(trial: Trial): Promise<void> {
  const { region, ledger, expect } = trial;
  const stopFollowing = followReady(trial);
  const from = performance.now();
  for (const node of [...region.api, ...region.workers]) {
    const begun = performance.now();
    const isOrderly = await node.end('SIGTERM');
    const took = elapsedSince(begun);
    expect(isOrderly && took.ms < 30_000, `${node.name} ended ${isOrderly ? `after ${took.text}` : 'badly'}`);
    await node.start();
    await trial.pause(500);
  }
  await stopFollowing();
  const failed = ledger.calls.filter(
    (made) => made.start > from && !isAccepted(made) && made.code !== 'idempotency_in_progress',
  );
  const [first] = failed;
  expect(
    failed.length === 0,
    `${failed.length} calls failed, the first at ${first?.node}: ${first?.status} ${first?.code ?? first?.error}`,
  );
}
