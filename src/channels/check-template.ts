import { Refusal } from '../../contract/problems.ts';
import type { ChannelAccount } from './channel.ts';
import type { Connector } from './connect.ts';
import { type TemplateContent, templateFault } from './template-fault.ts';

type Row = Pick<ChannelAccount, 'id' | 'settings'> & { kind: string };
type Secrets = ChannelAccount['secrets'];

/**
 * Refuses a template that does not fit its definition (template-fault.ts), which is read from the provider of the
 * channel. A template is accepted if the definitions cannot be read, because a message must not wait for an unavailable
 * provider. `pointer`: the field of the request with the template.
 */
export async function checkTemplate<R extends Row>(
  { connector, openSecrets }: { connector: Pick<Connector, 'templates'>; openSecrets(row: R): Promise<Secrets> },
  row: R,
  template: TemplateContent,
  pointer: string,
): Promise<void> {
  const secrets = await openSecrets(row).catch(() => null);
  if (secrets === null) return;
  const answer = await connector.templates(row.kind, { id: row.id, settings: row.settings, secrets });
  const detail = answer === null || 'refused' in answer ? null : templateFault(template, answer.items);
  if (detail !== null)
    throw new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'template', detail }] });
}
