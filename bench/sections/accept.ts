import { setTimeout as sleep } from 'node:timers/promises';
import { compare, type Plan, comparisonText } from '../compare.ts';
import { createMeter } from '../cost.ts';
import type { Shot } from '../load.ts';
import { type Program, startBare, startProgram } from '../program.ts';

/** Measures trigger calls, which get 202 after the commit of run, conversation, end user and queue entry. */
export async function accept(plan: Plan): Promise<string[]> {
  await using bare = await startBare();
  await using program = await startProgram('api');
  const lines: string[] = [];
  const measure = async (name: string, more: Pick<Shot, 'body'> & { headers?: Record<string, string> }) => {
    const headers = {
      Authorization: `Bearer ${program.key}`,
      ...(more.body !== undefined && { 'Content-Type': 'application/json' }),
      ...more.headers,
    };
    const shot: Shot = { method: 'POST', path: program.triggerPath, headers, body: more.body };
    const meter = createMeter({ db: () => program.db, pid: program.pid });
    lines.push(
      comparisonText(name, await compare(plan, bare.origin, program.origin, shot, meter)),
      `  ${meter.costText()}`,
    );
  };
  await measure('empty body, anonymous', {});
  await measure('end_user.external_id, new', { body: '{"end_user":{"external_id":"crm-{n}"}}' });
  await measure('Idempotency-Key', { body: '{}', headers: { 'Idempotency-Key': '{n}' } });
  await program.restart('all');
  await drained(program);
  await measure('empty body, worker in this process', {});
  return lines;
}

const MOST_MS = 300_000;

/** Waits until no run is due, so that the work of one measurement does not slow the next. */
export async function drained(program: Program): Promise<void> {
  for (const until = Date.now() + MOST_MS; (await program.queued()) > 0; await sleep(500)) {
    if (Date.now() > until) throw new Error('The queue was not drained in time.');
  }
}
