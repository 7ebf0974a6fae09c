import type { AcceptedMessage, SendMessage } from '../../../contract/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { CampaignsDeps } from '../../features/campaigns/deps.ts';
import { checkTestTemplate } from '../../features/channels/check-test-template.ts';
import type { MessagesDeps } from '../../features/messages/deps.ts';
import { sendMessage } from '../../features/messages/send-message.ts';

export type TestDeps = MessagesDeps & Pick<CampaignsDeps, 'findChannel' | 'openSecrets' | 'connector'>;

/**
 * Sends a test message from a member to themselves, like any other message, with the same checks of consent and
 * suppression. A template is first compared with its definition at the provider.
 */
export async function sendTest(deps: TestDeps, orgId: string, id: string, body: SendMessage): Promise<AcceptedMessage> {
  const channel = await deps.findChannel(orgId, id);
  if (!channel) throw new Refusal('channel_not_found');
  if (body.content.type === 'template') await checkTestTemplate(deps, orgId, id, body.content);
  const call = { agentId: channel.agentId, channel, keyId: null, from: null, fillsOnly: false, idempotency: null };
  const { answer } = await sendMessage(deps, { ...call, orgId, body });
  return JSON.parse(answer.body) as AcceptedMessage;
}
