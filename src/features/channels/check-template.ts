import { Refusal } from '../../../contract/problems.ts';
import type { MessageContent } from '../../../contract/messages.ts';
import { channelTemplateFault } from '../../channels/channel-template-fault.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';

/** Refuses a template that does not fit its definition at the provider. Other content is not checked. */
export async function checkTemplate(
  deps: Pick<ChannelsDeps, 'db' | 'openSecrets'> & { connector: Pick<ChannelsDeps['connector'], 'templates'> },
  orgId: string,
  channelId: string,
  content: MessageContent,
): Promise<void> {
  if (content.type !== 'template') return;
  const row = await readChannel(deps.db, orgId, channelId);
  const detail = row && (await channelTemplateFault(deps, row, content));
  if (detail) {
    const errors = [{ pointer: '/content', code: 'template', detail }];
    throw new Refusal('validation_failed', detail, { errors });
  }
}
