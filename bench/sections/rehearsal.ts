import { newId } from '../../src/kernel/ids.ts';
import { createSuppression } from '../../src/store/end-users/suppression.ts';
import { campaign } from '../../src/store/schema/campaign.ts';
import { endUser } from '../../src/store/schema/end-user.ts';
import { cpuMsUntil, longestStretchMs } from '../../test/cpu-time.ts';
import { type AskedRehearsal, rehearseCampaign } from '../../src/features/campaigns/rehearsal/rehearse-campaign.ts';
import type { Plan } from '../compare.ts';
import { startProgram } from '../program.ts';

const PEOPLE = 10_000;
const ZONES = 50;
const PAGE = 1_000;

/**
 * Measures the rehearsal of a campaign, which uses a virtual clock. The rehearsal runs in this process, with the
 * database of the program.
 */
export async function rehearsal(plan: Plan): Promise<string[]> {
  await using program = await startProgram('api');
  const { db, orgId } = program;
  const people = Math.max(100, Math.round(PEOPLE * plan.scale));
  const zones = Intl.supportedValuesOf('timeZone').slice(0, ZONES);
  const agentId = program.triggerPath.split('/')[3]!;
  const { rows } = await db.$client.query<{ id: string }>('SELECT id FROM channel WHERE agent_id = $1', [agentId]);
  const id = newId('campaign');
  const settings = {
    opening: { text: { default: 'Hi {{end_user.name|there}}, {{voucher|a gift}} for {{end_user.plan}}' } },
    window: { from: '09:00', to: '18:00' },
    per_minute: 600,
  };
  await db.insert(campaign).values({ orgId, id, agentId, channelId: rows[0]!.id, name: 'Bench', settings });
  const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}`, 'x'.repeat(50)]));
  for (let from = 0; from < people; from += PAGE)
    await db.insert(endUser).values(
      Array.from({ length: Math.min(PAGE, people - from) }, (_, n) => {
        const timeZone = zones[n % zones.length]!;
        return { orgId, id: newId('enduser'), externalId: `known-${from + n}`, name: 'Asha', timeZone, attributes };
      }),
    );
  const suppression = createSuppression(Buffer.alloc(32, 1));
  const lines = Array.from({ length: people }, (_, n) => `new-${n},Omar,${zones[n % zones.length]},W-${n}`);
  const replies = [{ text: 'stop', after_minutes: 10, percent: 3 }];
  const asked: Record<string, Partial<AskedRehearsal>> = {
    'made-up people': { made_up: { count: people, time_zones: zones } },
    'end users': { filter: {} },
    'rows of a CSV file': { file: ['id,name,time_zone,voucher', ...lines].join('\n') },
  };
  const printed: string[] = [];
  for (const [name, who] of Object.entries(asked)) {
    const run = () =>
      rehearseCampaign({ db, suppression }, orgId, id, { filter: null, replies, all_rows: true, ...who });
    await run();
    const before = performance.now();
    const cpu = await cpuMsUntil(run);
    const wall = performance.now() - before;
    const longest = await longestStretchMs(run);
    printed.push(
      `${people.toLocaleString('en')} ${name}`.padEnd(30) +
        ` ${wall.toFixed(0)} ms, ${cpu.toFixed(0)} ms of processor time, at most ${longest.toFixed(0)} ms without a pause`,
    );
  }
  return printed;
}
