import type { CampaignRecord, CampaignState } from '../../../contract/dashboard/campaigns.ts';
import type { Access } from '../../access/access.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { CampaignRow } from '../../store/campaigns.ts';
import type { Db } from '../../store/db.ts';

/** What the verbs of this folder stand on. */
export type CampaignsDeps = { db: Db; access: Pick<Access, 'change'> };

export const presentCampaign = (row: CampaignRow): CampaignRecord => ({
  id: row.id,
  agent_id: row.agentId,
  channel_id: row.channelId,
  name: row.name,
  state: row.state as CampaignState,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
