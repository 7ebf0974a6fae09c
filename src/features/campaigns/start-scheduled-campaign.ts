import { endOfDay, nextStarts } from '../../../contract/schedule-days.ts';
import { newId } from '../../kernel/ids.ts';
import { readAgent } from '../../store/agents/read.ts';
import { type CampaignRow, insertCampaign, readCampaign } from '../../store/campaigns/campaigns.ts';
import { insertAddition } from '../../store/campaigns/additions.ts';
import { deleteSchedule, lockDueSchedule, moveSchedule, type ScheduleRow } from '../../store/campaigns/schedules.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { recordAudit, SYSTEM } from '../../store/organizations/audit.ts';
import { readSegment } from '../../store/segments.ts';
import { filterOf } from '../../kernel/end-user-filter.ts';
import { scheduledSettings } from './scheduled-settings.ts';
import { ofFilter } from './start-addition.ts';

type Due = ScheduleRow & { nextDay: string };

/**
 * Starts the campaign that has been due longest, as a live campaign with the current people of the segment. One
 * transaction writes the campaign and the next time of the schedule. A campaign starts only once, even if a process is
 * killed or several workers run. Returns false if no schedule is due. `onClaimed` receives the schedule before any step
 * can fail.
 */
export async function startScheduledCampaign(
  db: Db,
  now: Date,
  onClaimed: (due: ScheduleRow) => void,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const due = await lockDueSchedule(tx);
    if (due === null) return false;
    onClaimed(due);
    const { orgId, campaignId } = due;
    const campaign = await readCampaign(tx, orgId, campaignId);
    if (!campaign || campaign.state === 'ended') {
      await deleteSchedule(tx, orgId, campaignId);
      return true;
    }
    const isOver = campaign.settings.ends_at != null && now >= new Date(campaign.settings.ends_at);
    const missing = isOver ? 'time' : await createScheduledCampaign(tx, due, campaign, now);
    // Days that passed while no process ran get no campaign afterwards.
    const [next] = nextStarts(due, now, 1, due.nextDay);
    await moveSchedule(tx, due, missing === null ? { day: next!.day, at: next!.at } : null);
    return true;
  });
}

/** If a required record is missing, no campaign can start, and the schedule is paused until a member changes it. */
async function createScheduledCampaign(
  tx: Queryable,
  { nextDay: day, segmentId, at, createdBy }: Due,
  { orgId, id: roundOf, agentId, channelId, name, settings, state }: CampaignRow,
  now: Date,
): Promise<'agent' | 'channel' | 'segment' | null> {
  // The schedule starts no campaign if its own campaign is not live or has not begun. The campaign may be live on the
  // next day of the schedule.
  const isBegun = settings.starts_at == null || now >= new Date(settings.starts_at);
  if (state !== 'live' || !isBegun || now >= endOfDay(day)) return null;
  const segment = await readSegment(tx, orgId, segmentId);
  const agent = await readAgent(tx, orgId, agentId);
  const channel = await readChannel(tx, orgId, channelId);
  const missing = !segment ? 'segment' : !agent ? 'agent' : !channel ? 'channel' : null;
  if (missing !== null) {
    const facts = { day, missing };
    await recordAudit(tx, { orgId, actor: SYSTEM, action: 'campaign.round_skipped', subjectId: roundOf, facts });
    return missing;
  }
  const id = newId('campaign');
  await insertCampaign(tx, orgId, {
    id,
    agentId,
    channelId,
    name: `${name} · ${day}`,
    settings: scheduledSettings(settings, at, day),
    state: 'live',
    attended: true,
    roundOf,
    roundDay: day,
  });
  await insertAddition(tx, orgId, {
    campaignId: id,
    id: newId('push'),
    ...ofFilter(filterOf(segment!.filters)),
    createdBy,
    requestId: null,
  });
  await recordAudit(tx, {
    orgId,
    actor: SYSTEM,
    action: 'campaign.round_made',
    subjectId: id,
    facts: { round_of: roundOf, day },
  });
  return null;
}
