import {
  CAMPAIGN_MOVES,
  type CampaignMove,
  type CampaignRecord,
  type UpdateCampaignBody,
} from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { createLoopShare } from '../../kernel/loop-share.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { cancelCampaignRuns, holdCampaignRuns, letCampaignRunsGo, listHeldZones } from '../../store/campaigns/runs.ts';
import {
  type CampaignRow,
  changeCampaign,
  moveCampaign as moveRow,
  readCampaign as readRow,
} from '../../store/campaigns/campaigns.ts';
import { deleteSchedule } from '../../store/campaigns/schedules.ts';
import type { Queryable } from '../../store/db.ts';
import { planWaitingAgain } from '../../store/recipients/read.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentCampaign } from './present-campaign.ts';
import { checkSettings } from './check-settings.ts';
import { nextOpening } from './quiet-hours.ts';

const PAST = { start: 'started', pause: 'paused', resume: 'resumed', end: 'ended' } as const;

/**
 * A campaign moves from draft to live, then between live and paused, and last to ended. A move to the current state has
 * no effect. The state `ended` is final.
 */
export async function moveCampaign(
  { access }: Pick<CampaignsDeps, 'access'>,
  orgId: string,
  id: string,
  move: CampaignMove,
  actor: Actor,
): Promise<CampaignRecord> {
  const { result } = await access.change({ kind: 'campaign', id }, (tx) => moveInside(tx, orgId, id, move, actor));
  return result;
}

/**
 * Moves a campaign to another state inside a transaction. A pause stops conversations that have started but not yet
 * sent a message. A resume continues stopped conversations, and an end discards them. No message is sent after the
 * response to a pause.
 */
export async function moveInside(
  tx: Queryable,
  orgId: string,
  id: string,
  move: CampaignMove,
  actor: Actor,
): Promise<CampaignRecord> {
  const { from, to } = CAMPAIGN_MOVES[move];
  const moved = await moveRow(tx, orgId, id, from, to);
  if (moved) {
    if (move === 'pause') await holdCampaignRuns(tx, orgId, id);
    if (move === 'resume') await letGo(tx, moved);
    if (move === 'end') {
      await cancelCampaignRuns(tx, orgId, id);
      await deleteSchedule(tx, orgId, id);
    }
    await recordAudit(tx, { orgId, actor, action: `campaign.${PAST[move]}`, subjectId: id });
    return presentCampaign(moved);
  }
  const row = await readRow(tx, orgId, id);
  if (!row) throw new Refusal('campaign_not_found');
  if (row.state === to) return presentCampaign(row);
  throw new Refusal('campaign_not_open', `A campaign that is ${row.state} cannot be ${PAST[move]}.`);
}

/** A member may resume a campaign at night, so each waiting recipient waits for the next allowed hours. */
async function letGo(tx: Queryable, { orgId, id, settings }: CampaignRow): Promise<void> {
  const from = new Date(Math.max(Date.now(), Date.parse(settings.starts_at ?? '') || 0));
  const zones = await listHeldZones(tx, orgId, id);
  const share = createLoopShare();
  const openings = new Map<string | null, Date>();
  for (const zone of zones) {
    const opens = await share(() => nextOpening(settings, zone ?? settings.time_zone ?? 'UTC', from));
    openings.set(zone, opens ?? from);
  }
  await letCampaignRunsGo(tx, orgId, id, openings);
}

/**
 * Changes the name and the settings of a campaign. The new settings replace all settings and apply to all recipients
 * who were not messaged yet.
 */
export async function updateCampaign(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  id: string,
  changes: UpdateCampaignBody,
  actor: Actor,
): Promise<CampaignRecord> {
  if (changes.settings) checkSettings(changes.settings);
  const record = await db.transaction(async (tx) => {
    const row = await changeCampaign(tx, orgId, id, changes);
    if (!row) throw new Refusal('campaign_not_found');
    if (changes.settings && row.state === 'ended')
      throw new Refusal('campaign_not_open', 'The settings of an ended campaign cannot be changed.');
    await recordAudit(tx, { orgId, actor, action: 'campaign.updated', subjectId: id, facts: changes });
    return presentCampaign(row);
  });
  if (changes.settings) await planAgainInSteps(db, orgId, id);
  return record;
}

const BATCH = 10_000;

/**
 * The function runs after the commit and in small steps, so that neither the change nor the worker waits for a long
 * statement.
 */
async function planAgainInSteps(db: Queryable, orgId: string, id: string): Promise<void> {
  let after: string | null = '';
  while (after !== null) after = await planWaitingAgain(db, orgId, id, { after, limit: BATCH });
}

/**
 * The campaign's keys stop working: calls with them get 404. The campaign's keys stay in the list and can be revoked.
 */
export async function deleteCampaign(
  { access }: Pick<CampaignsDeps, 'access'>,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await access.change({ kind: 'campaign', id }, async (tx) => {
    const row = await changeCampaign(tx, orgId, id, { deletedAt: new Date() });
    if (!row) throw new Refusal('campaign_not_found');
    await cancelCampaignRuns(tx, orgId, id);
    await deleteSchedule(tx, orgId, id);
    await recordAudit(tx, { orgId, actor, action: 'campaign.deleted', subjectId: id, facts: { name: row.name } });
  });
}
