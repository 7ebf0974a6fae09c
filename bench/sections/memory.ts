import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../compare.ts';
import { fire } from '../load.ts';
import { startProgram } from '../program.ts';
import { drained } from './accept.ts';

const COUNTS = [100_000, 1_000_000];
const BURST_SECONDS = 5;
/** Until garbage is collected and pages are released. */
const REST_MS = 5_000;

/** Whether memory is still used for calls that ended long ago. */
export async function memory(plan: Plan): Promise<string[]> {
  await using program = await startProgram('all');
  const headers = { Authorization: `Bearer ${program.key}`, 'Content-Type': 'application/json' };
  const body = '{"end_user":{"external_id":"crm-{n}"}}';
  const lines = [`at the start: ${program.memory().toFixed(0)} MiB`];
  const seen: number[] = [];
  let accepted = 0;
  for (const count of COUNTS.map((full) => Math.round(full * plan.scale))) {
    while (accepted < count) {
      const hits = await fire(
        program.origin,
        { method: 'POST', path: program.triggerPath, headers, body },
        BURST_SECONDS,
      );
      accepted += hits.answered;
    }
    const busy = program.memory();
    await drained(program);
    await sleep(REST_MS);
    seen.push(program.memory());
    lines.push(
      `after ${accepted.toLocaleString('en')} accepted calls: ${busy.toFixed(0)} MiB under load, ${seen.at(-1)!.toFixed(0)} MiB after all turns are taken`,
    );
  }
  lines.push(`last against first: ${(seen.at(-1)! / seen[0]!).toFixed(2)}`);
  return lines;
}
