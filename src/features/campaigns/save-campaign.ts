import type { CampaignRecord, UpdateCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { checkTemplate } from '../../channels/check-template.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { updateCampaign } from './change-campaign.ts';
import type { CampaignsDeps } from './deps.ts';

/** Changes the settings of a campaign, after its template is compared with the definition at the provider. */
export async function saveCampaign(
  deps: Pick<CampaignsDeps, 'db' | 'openSecrets' | 'connector'>,
  orgId: string,
  id: string,
  changes: UpdateCampaignBody,
  actor: Actor,
): Promise<CampaignRecord> {
  const template = changes.settings?.opening?.template;
  const campaign = template && (await readCampaign(deps.db, orgId, id));
  const channel = campaign && (await readChannel(deps.db, orgId, campaign.channelId));
  if (channel) await checkTemplate(deps, channel, { type: 'template', ...template }, '/settings/opening/template/name');
  return updateCampaign(deps, orgId, id, changes, actor);
}
