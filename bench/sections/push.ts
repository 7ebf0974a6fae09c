import { mintKey } from '../../src/access/api-keys/key-format.ts';
import { newId } from '../../src/kernel/ids.ts';
import { campaign } from '../../src/store/schema/campaign.ts';
import { givenKey } from '../../test/factories.ts';
import { median, type Plan } from '../compare.ts';
import { startProgram } from '../program.ts';

const RECIPIENTS = 1_000;
/** The number of calls in progress, of which one is planned while the database writes another. */
const LANES = 3;

/**
 * Measures how fast recipients are added, a thousand per call. Each call gets its response after the commit, and no
 * worker processes the recipients during the measurement.
 */
export async function push(plan: Plan): Promise<string[]> {
  await using program = await startProgram('api');
  const { db, orgId } = program;
  const agentId = program.triggerPath.split('/')[3]!;
  const { rows } = await db.$client.query<{ id: string }>('SELECT id FROM channel WHERE agent_id = $1', [agentId]);
  const id = newId('campaign');
  await db.insert(campaign).values({ orgId, id, agentId, channelId: rows[0]!.id, name: 'Bench', state: 'live' });
  const key = mintKey('us');
  const digest = program.digestOf(key);
  await givenKey(db, orgId, { digest, scope: 'campaign', campaignId: id, permissions: ['campaigns'] });

  let pushed = 0;
  const call = async (person: (n: number) => string, dedupe: string): Promise<number> => {
    const first = (pushed += RECIPIENTS);
    const rows = Array.from({ length: RECIPIENTS }, (_, n) => `{"end_user":${person(first + n)},"ref":"row-${n}"}`);
    const began = performance.now();
    const answer = await fetch(`${program.origin}/api/campaigns/${id}/recipients`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: `{"dedupe":"${dedupe}","recipients":[${rows.join(',')}]}`,
    });
    const { accepted } = (await answer.json()) as { accepted?: number };
    if (answer.status !== 202 || accepted !== RECIPIENTS) throw new Error(`A push was answered ${answer.status}.`);
    return performance.now() - began;
  };
  const measure = async (name: string, person: (n: number) => string, dedupe = 'campaign'): Promise<string> => {
    const rates: number[] = [];
    const times: number[] = [];
    for (let round = 0; round <= plan.rounds; round += 1) {
      const until = performance.now() + plan.seconds * 1_000;
      const began = performance.now();
      let calls = 0;
      const pushInTurn = async () => {
        for (; performance.now() < until; calls += 1) times.push(await call(person, dedupe));
      };
      await Promise.all(Array.from({ length: LANES }, pushInTurn));
      // The first round is not counted, because it fills caches.
      if (round > 0) rates.push((calls * RECIPIENTS) / ((performance.now() - began) / 1_000));
    }
    const slowest = Math.max(...times.slice(LANES));
    return `${name.padEnd(34)} ${Math.round(median(rates)).toLocaleString('en')} recipients/s   p50 ${median(times).toFixed(0)} ms a call, slowest ${slowest.toFixed(0)} ms`;
  };
  return [
    await measure('new people, id alone', (n) => `{"external_id":"crm-${n}"}`),
    await measure(
      'new people, name and phone',
      (n) => `{"external_id":"full-${n}","name":"Asha Khan","phone":"+9743${String(n).padStart(7, '0')}"}`,
    ),
    await measure('known people', (n) => `{"external_id":"crm-${n % 20_000}"}`, 'none'),
  ];
}
