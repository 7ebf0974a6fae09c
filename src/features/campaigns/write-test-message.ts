import type { SendMessage } from '../../../contract/channels.ts';
import type { TestCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import { invalidAt } from '../../../contract/problems.ts';
import { checkSettings } from './check-settings.ts';
import type { CampaignsDeps } from './deps.ts';
import { agentOpening, previewSettings } from './preview-campaign.ts';
import { readCampaign } from './read-campaigns.ts';

/** Members see this text before the first message of a test. */
const TEST_MARK = '[Test] ';

/** Sends the first message of a campaign as a test to one address. The test enrols no one. */
export async function writeTestMessage(
  { db }: Pick<CampaignsDeps, 'db'>,
  orgId: string,
  id: string,
  { settings, address, end_user: endUser = {}, variables = {} }: TestCampaignBody,
): Promise<{ channelId: string; message: SendMessage }> {
  const campaign = await readCampaign({ db }, orgId, id);
  checkSettings(settings);
  const { opening } = previewSettings(settings, { settings, end_user: endUser, variables }, new Date());
  const content = opening ?? (await agentOpening(db, orgId, campaign.agent_id, { endUser: endUser, variables }));
  if (content === null) {
    const detail = 'A model writes the first message when a conversation starts: there is no text to send as a test.';
    throw invalidAt('/settings/opening', 'required', detail);
  }
  const marked = content.type === 'text' ? { ...content, text: TEST_MARK + content.text } : content;
  const metadata = { test: 'campaign', campaign_id: id };
  return { channelId: campaign.channel_id, message: { to: { address }, content: marked, metadata } };
}
