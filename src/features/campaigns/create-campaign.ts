import type { CampaignRecord, CreateCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { readAgent } from '../../store/agents/read.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { readOrganization } from '../../store/organizations/organizations.ts';
import { insertCampaign } from '../../store/campaigns/campaigns.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { CampaignsDeps } from './deps.ts';
import { presentCampaign } from './present-campaign.ts';

/** Creates a draft. People without a time zone get the time zone of the organization. */
export async function createCampaign(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  { agent_id: agentId, channel_id: channelId, name }: CreateCampaignBody,
  actor: Actor,
): Promise<CampaignRecord> {
  return db.transaction(async (tx) => {
    if (!(await readAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    const channel = await readChannel(tx, orgId, channelId);
    if (channel?.agentId !== agentId) throw new Refusal('channel_not_found');
    const zone = (await readOrganization(tx, orgId))?.timeZone;
    const settings = zone ? { time_zone: zone } : {};
    const row = await insertCampaign(tx, orgId, { id: newId('campaign'), agentId, channelId, name, settings });
    const facts = { agent_id: agentId, channel_id: channelId, name };
    await recordAudit(tx, { orgId, actor, action: 'campaign.created', subjectId: row.id, facts });
    return presentCampaign(row);
  });
}
