import type { TemplateContent } from '../../channels/template-fault.ts';
import { Refusal } from '../../../contract/problems.ts';
import { channelTemplateFault } from '../../channels/channel-template-fault.ts';
import { readChannel } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';

export type TemplateDeps = Pick<ChannelsDeps, 'db' | 'openSecrets'> & {
  connector: Pick<ChannelsDeps['connector'], 'templates'>;
};

/**
 * Refuses a template that does not fit its definition at the provider, so that no message fails because of the template.
 * `pointer`: the field of the request with the template.
 */
export async function checkTemplate(
  deps: TemplateDeps,
  orgId: string,
  channelId: string,
  template: TemplateContent,
  pointer: string,
): Promise<void> {
  const row = await readChannel(deps.db, orgId, channelId);
  const detail = row && (await channelTemplateFault(deps, row, template));
  if (detail) throw new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'template', detail }] });
}
