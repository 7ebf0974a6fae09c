import { setTimeout as sleep } from 'node:timers/promises';
import { median, type Plan } from '../compare.ts';
import { createMeter } from '../cost.ts';
import { fire } from '../load.ts';
import { startProgram } from '../program.ts';

const RUNS = 100_000;
const SLICE_MS = 1_000;
/** A worker without progress for this long has stopped working. */
const STUCK_SLICES = 30;

const rate = (value: number): string => Math.round(value).toLocaleString('en');

/** Measures how fast and how steadily one worker processes the accepted calls. */
export async function drain(plan: Plan): Promise<string[]> {
  await using program = await startProgram('api');
  const wanted = Math.round(RUNS * plan.scale);
  const headers = { Authorization: `Bearer ${program.key}` };
  while ((await program.queued()) < wanted) {
    await fire(program.origin, { method: 'POST', path: program.triggerPath, headers }, 2);
  }
  const total = await program.queued();
  const started = performance.now();
  await program.restart('worker');
  const slices: number[] = [];
  let left = await program.queued();
  let [at, idle] = [performance.now(), 0];
  const begun = { left, at };
  const meter = createMeter({ db: () => program.db, pid: program.pid });
  const work = async (): Promise<void> => {
    while (left > 0 && idle < STUCK_SLICES) {
      await sleep(SLICE_MS - ((performance.now() - at) % SLICE_MS));
      const [now, rest] = [performance.now(), await program.queued()];
      slices.push((left - rest) / ((now - at) / 1000));
      idle = rest === left ? idle + 1 : 0;
      [left, at] = [rest, now];
    }
  };
  await meter.around(work, () => begun.left - left);
  const seconds = (at - begun.at) / 1000;
  // The last slice is shorter, because the work ends in it.
  const full = slices.slice(0, -1);
  const states = await program.db.$client.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM run GROUP BY status ORDER BY n DESC',
  );
  return [
    `${rate(total)} runs queued; ${rate((begun.left - left) / seconds)}/s over ${seconds.toFixed(1)} s, first turn seen ${((begun.at - started) / 1000).toFixed(1)} s after the stop of the API`,
    `slices of 1 s: slowest ${rate(Math.min(...full))}/s, median ${rate(median(full))}/s, fastest ${rate(Math.max(...full))}/s`,
    meter.costText().replace('a call', 'a turn'),
    `left in the queue: ${left}; states: ${states.rows.map((row) => `${row.status} ${rate(row.n)}`).join(', ')}`,
  ];
}
