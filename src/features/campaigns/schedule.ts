import {
  type CampaignSchedule,
  type CampaignScheduleAnswer,
  NEXT_STARTS,
  type SetScheduleBody,
} from '../../../contract/dashboard/campaign-schedules.ts';
import { nextStarts, scheduledStart } from '../../../contract/schedule-days.ts';
import { invalidAt, Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { lastScheduledDay, readCampaign } from '../../store/campaigns/campaigns.ts';
import {
  deleteSchedule,
  lockSchedule,
  readSchedule as readRow,
  type ScheduleRow,
  writeSchedule,
} from '../../store/campaigns/schedules.ts';
import type { Queryable } from '../../store/db.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { readSegment } from '../../store/segments.ts';
import type { CampaignsDeps } from './deps.ts';
import { hasAllowedTime } from './scheduled-settings.ts';

type Deps = Pick<CampaignsDeps, 'db'>;

export async function readSchedule({ db }: Deps, orgId: string, id: string): Promise<CampaignScheduleAnswer> {
  if (!(await readCampaign(db, orgId, id))) throw new Refusal('campaign_not_found');
  const row = await readRow(db, orgId, id);
  return { schedule: row && (await present(db, row)) };
}

/** Replaces the stored schedule of a campaign. The first day is the next day that has not begun in any time zone. */
export async function setSchedule(
  { db }: Deps,
  orgId: string,
  id: string,
  { segment_id: segmentId, days, month_day: monthDay = null, at, paused = false }: SetScheduleBody,
  actor: Actor,
): Promise<CampaignScheduleAnswer> {
  return db.transaction(async (tx) => {
    const campaign = await readCampaign(tx, orgId, id);
    if (!campaign) throw new Refusal('campaign_not_found');
    if (campaign.state === 'ended') throw new Refusal('campaign_not_open', 'An ended campaign cannot repeat.');
    if (campaign.roundOf !== null) {
      throw new Refusal(
        'campaign_not_open',
        'The schedule of another campaign started this campaign: change the schedule of the other campaign.',
      );
    }
    if (!(await readSegment(tx, orgId, segmentId))) {
      throw invalidAt('/segment_id', 'not_available', 'No segment has this id.');
    }
    if ((days.length === 0) === (monthDay === null)) {
      throw invalidAt('/days', 'exactly_one', 'Name either days of the week or the day of the month.');
    }
    const sorted = days.toSorted((a, b) => a - b);
    await lockSchedule(tx, orgId, id);
    // A day has only one campaign, even if the time of the day changes after the campaign began.
    const last = await lastScheduledDay(tx, orgId, id);
    const [first] = nextStarts({ days: sorted, monthDay, at }, new Date(), 1, last);
    if (!hasAllowedTime(campaign.settings, at, first!.day)) {
      throw invalidAt(
        '/at',
        'not_available',
        'The allowed hours of the campaign leave no time to send after this time on that day.',
      );
    }
    const next = paused ? null : first;
    const row = await writeSchedule(tx, {
      orgId,
      campaignId: id,
      segmentId,
      days: sorted,
      monthDay,
      at,
      paused,
      nextDay: next?.day ?? null,
      nextAt: next?.at ?? null,
      createdBy: actor.userId,
    });
    const facts = { segment_id: segmentId, days: sorted, month_day: monthDay, at, paused };
    await recordAudit(tx, { orgId, actor, action: 'campaign.scheduled', subjectId: id, facts });
    return { schedule: await present(tx, row) };
  });
}

/** Campaigns that the schedule has started stay. */
export async function removeSchedule({ db }: Deps, orgId: string, id: string, actor: Actor): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await readCampaign(tx, orgId, id))) throw new Refusal('campaign_not_found');
    if (!(await deleteSchedule(tx, orgId, id))) return;
    await recordAudit(tx, { orgId, actor, action: 'campaign.unscheduled', subjectId: id });
  });
}

async function present(db: Queryable, row: ScheduleRow): Promise<CampaignSchedule> {
  const segment = await readSegment(db, row.orgId, row.segmentId);
  const next =
    row.nextDay === null
      ? []
      : nextStarts(row, new Date(scheduledStart(row.nextDay, row.at).getTime() - 1), NEXT_STARTS);
  return {
    segment_id: row.segmentId,
    segment_name: segment?.name ?? null,
    days: row.days,
    month_day: row.monthDay,
    at: row.at,
    paused: row.paused,
    next: next.map(({ day }) => day),
    updated_at: timestamp(row.updatedAt),
  };
}
