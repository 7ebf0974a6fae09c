import type {
  Campaign,
  CampaignState,
  Recipient,
  RecipientCounts,
  RecipientStatus,
} from '../../../contract/campaigns.ts';
import { MAX_RECIPIENTS } from '../../../contract/campaigns.ts';
import type { CampaignRecord } from '../../../contract/dashboard/campaigns.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { CampaignRow } from '../../store/campaigns/campaigns.ts';
import type { RecipientRow } from '../../store/recipients/read.ts';

export const presentCampaign = (row: CampaignRow): CampaignRecord => ({
  id: row.id,
  agent_id: row.agentId,
  channel_id: row.channelId,
  name: row.name,
  state: row.state as CampaignState,
  settings: row.settings,
  round_of: row.roundOf,
  round_day: row.roundDay,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

/** The form of a campaign that its own key may see. */
export const presentForKey = (row: CampaignRow, counted: { counts: RecipientCounts; total: number }): Campaign => ({
  id: row.id,
  agent_id: row.agentId,
  channel_id: row.channelId,
  name: row.name,
  state: row.state as CampaignState,
  window: {
    starts_at: row.settings.starts_at ?? null,
    ends_at: row.settings.ends_at ?? null,
    hours: row.settings.window ? { days: EVERY_DAY, ...row.settings.window } : null,
    quiet_hours: row.settings.quiet_hours ?? null,
    time_zone: row.settings.time_zone ?? 'UTC',
  },
  limits: { per_minute: row.settings.per_minute ?? null, recipients_per_call: MAX_RECIPIENTS },
  ...counted,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

export const presentRecipient = (row: RecipientRow): Recipient => ({
  id: row.id,
  campaign_id: row.campaignId,
  end_user_id: row.endUserId,
  ref: row.ref,
  status: row.status as RecipientStatus,
  reason: row.reason,
  variables: row.variables,
  send_at: row.sendAt && timestamp(row.sendAt),
  due_at: row.dueAt && timestamp(row.dueAt),
  conversation_id: row.conversationId,
  run_id: row.runId,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
