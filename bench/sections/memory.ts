import { setTimeout as sleep } from 'node:timers/promises';
import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { newId } from '../../src/kernel/ids.ts';
import { insertDocument } from '../../src/store/documents.ts';
import { manualText } from '../../test/documents.ts';
import { givenAgent, givenTrigger } from '../../test/factories.ts';
import type { Plan } from '../compare.ts';
import { fire } from '../load.ts';
import { startProgram } from '../program.ts';
import { drained } from './accept.ts';
import { insertKeys } from './keys.ts';

/** The maximum memory of an idle node in MB. test/package.test.ts checks it on every run. */
const IDLE_MB = 150;
const COUNTS = [100_000, 1_000_000];
const KEYS = 100_000;
const KEYS_AT_ONCE = 5_000;
const KNOWLEDGE_MB = 4;
const BURST_SECONDS = 5;
/** The time in which Node collects garbage and releases pages. */
const REST_MS = 5_000;

/** Measures the memory that a node retains when it is idle, after calls, for keys, and for the documents of agents. */
export async function memory(plan: Plan): Promise<string[]> {
  return [...(await ofCalls(plan)), ...(await ofKeys(plan)), ...(await ofKnowledge())];
}

async function ofCalls(plan: Plan): Promise<string[]> {
  await using program = await startProgram('all');
  await sleep(REST_MS);
  const idle = program.memory();
  const lines = [`idle: ${idle.toFixed(0)} MiB${idle > IDLE_MB ? `, ABOVE THE BUDGET of ${IDLE_MB}` : ''}`];
  const headers = { Authorization: `Bearer ${program.key}`, 'Content-Type': 'application/json' };
  const body = '{"end_user":{"external_id":"crm-{n}"}}';
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

/** The same load runs twice, with one key and with many keys, so that the difference is the cost of the keys. */
async function ofKeys(plan: Plan): Promise<string[]> {
  await using program = await startProgram('api');
  const count = Math.round(KEYS * plan.scale);
  const callers: string[] = [];
  while (callers.length < count) {
    const values = Array.from({ length: Math.min(KEYS_AT_ONCE, count - callers.length) }, () => mintKey('us'));
    await insertKeys(program, values);
    callers.push(...values);
  }
  const call = async (keys: string[], times: number) => {
    for (let answered = 0; answered < times;) {
      const shot = { method: 'GET', path: '/api/me', headers: { Authorization: 'Bearer {key}' }, keys } as const;
      answered += (await fire(program.origin, shot, BURST_SECONDS)).answered;
    }
    await sleep(REST_MS);
    return program.memory();
  };
  // The first round reaches the amount of garbage that is usual for this load.
  await call([program.key], count);
  const one = await call([program.key], count);
  const all = await call(callers, 2 * count);
  return [
    `${count.toLocaleString('en')} keys that call: ${(all - one).toFixed(0)} MiB more than one key (${one.toFixed(0)} → ${all.toFixed(0)})`,
  ];
}

async function ofKnowledge(): Promise<string[]> {
  await using program = await startProgram('all');
  const askOne = async (documents: string[]) => {
    const { agentId } = await givenAgent(program.db, program.orgId);
    const path = `/api/triggers/${agentId}/${await givenTrigger(program.db, program.orgId, agentId)}`;
    for (const text of documents)
      await insertDocument(program.db, program.orgId, { id: newId('doc'), agentId, name: 'Manual', text });
    const headers = { Authorization: `Bearer ${program.key}`, 'Content-Type': 'application/json', Prefer: 'wait=20' };
    const body = JSON.stringify({ message: 'When does the warehouse open?' });
    const answer = await fetch(program.origin + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`The call was refused: ${await answer.text()}`);
    await drained(program);
    await sleep(REST_MS);
    return program.memory();
  };
  // The first document starts the thread for documents.
  const before = await askOne(['The warehouse opens at 6 am.']);
  const after = await askOne(Array.from({ length: KNOWLEDGE_MB * 4 }, (_, at) => manualText(256 * 1024, at + 1)));
  return [
    `the knowledge thread, and ${KNOWLEDGE_MB} MB of documents: ${before.toFixed(0)} → ${after.toFixed(0)} MiB, ${((after - before) / KNOWLEDGE_MB).toFixed(0)} MiB a MB`,
  ];
}
