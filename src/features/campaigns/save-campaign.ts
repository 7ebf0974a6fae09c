import type { CampaignRecord, UpdateCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { Refusal } from '../../../contract/problems.ts';
import { channelTemplateFault } from '../../channels/channel-template-fault.ts';
import { readCampaign } from '../../store/campaigns/campaigns.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { updateCampaign } from './change-campaign.ts';
import type { CampaignsDeps } from './deps.ts';

/**
 * Changes the settings of a campaign. A template is first compared with its definition at the provider, so that no
 * recipient fails because of the template.
 */
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
  const detail = channel && (await channelTemplateFault(deps, channel, { type: 'template', ...template }));
  if (detail) {
    const errors = [{ pointer: '/settings/opening/template/name', code: 'template', detail }];
    throw new Refusal('validation_failed', undefined, { errors });
  }
  return updateCampaign(deps, orgId, id, changes, actor);
}
