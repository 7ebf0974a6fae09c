import type { CrashPoint } from '../edits.ts';
import { startDeliveries } from '../deliveries.ts';
import { elapsedSince } from '../stalls.ts';
import type { Scenario } from '../trial.ts';

const CRASHES_WITHIN_MS = 15_000;

/** A node registers only once, but reaches all other crash points repeatedly. */
const AT_START = 'lease:after-register';

/** In this scenario, one process kills itself at a crash point after some passes, while all others continue. */
export const crashScenario = (point: CrashPoint): Scenario => ({
  name: `crash-${point.name.replace(':', '-')}`,
  expects: `a process that dies at "${point.name}" loses nothing, marks every possible repeat, and delays no one`,
  async run(trial) {
    const { region, random, expect } = trial;
    const atWork = /^(worker|delivery):/.test(point.name);
    const victim = random.pick(atWork ? region.workers : region.api);
    const order = { point: point.name, pass: point.name === AT_START ? 1 : random.between(1, 4) };
    const deliveries = await startDeliveries(trial);
    trial.after(() => deliveries.check(1));
    // The process is the only process of its kind, so it certainly reaches the crash point.
    const others = atWork ? region.workers.filter((one) => one !== victim) : [];
    for (const other of others) other.pause();
    if (point.name === AT_START) {
      await victim.end('SIGTERM');
      // A process that dies before it serves requests has not "started".
      await Promise.race([victim.start({ ...region.plan, crash: order }).catch(() => {}), victim.gone()]);
    } else {
      await victim.crash(order);
    }
    const begun = performance.now();
    const doing: Promise<unknown>[] = [];
    while (victim.isRunning() && elapsedSince(begun).ms < CRASHES_WITHIN_MS) {
      const isRevoke = point.name.startsWith('revoke:') && doing.length % 3 === 0 && doing.length < 60;
      doing.push(isRevoke ? trial.revoke(victim, doing.length / 3) : deliveries.send(random.pick(region.api)));
      await trial.pause(25);
    }
    expect(!victim.isRunning(), `${victim.name} never came to "${point.name}"`);
    for (const other of others) other.resume();
    if (victim.isRunning()) await victim.end('SIGKILL');
    await trial.pause(100);
    await trial.revoke(
      region.api.find((one) => one !== victim)!,
      40,
    );
    await victim.start(region.plan);
    await Promise.all(doing);
  },
});
