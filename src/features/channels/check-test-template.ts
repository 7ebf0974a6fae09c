import { checkTemplate } from '../../channels/check-template.ts';
import type { TemplateContent } from '../../channels/template-fault.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';

/** Refuses a test message whose template does not fit its definition at the provider of the channel. */
export async function checkTestTemplate(
  deps: Pick<ChannelsDeps, 'db' | 'openSecrets'> & { connector: Pick<ChannelsDeps['connector'], 'templates'> },
  orgId: string,
  channelId: string,
  template: TemplateContent,
): Promise<void> {
  const channel = await readChannel(deps.db, orgId, channelId);
  if (channel) await checkTemplate(deps, channel, template, '/content');
}
