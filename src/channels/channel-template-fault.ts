import type { ChannelAccount } from './channel.ts';
import type { Connector } from './connect.ts';
import { type TemplateContent, templateFault } from './template-fault.ts';

type Row = Pick<ChannelAccount, 'id' | 'settings'> & { kind: string };

/**
 * Compares a message with its template on a connected channel (template-fault.ts). The definitions are read from the
 * provider of the channel. The result is also null if the definitions cannot be read, because a message must not wait
 * for an unavailable provider.
 */
export async function channelTemplateFault<R extends Row>(
  { connector, openSecrets }: { connector: Pick<Connector, 'templates'>; openSecrets(row: R): Promise<Secrets> },
  row: R,
  content: TemplateContent,
): Promise<string | null> {
  const secrets = await openSecrets(row).catch(() => null);
  if (secrets === null) return null;
  const answer = await connector.templates(row.kind, { id: row.id, settings: row.settings, secrets });
  return answer === null || 'refused' in answer ? null : templateFault(content, answer.items);
}

type Secrets = ChannelAccount['secrets'];
