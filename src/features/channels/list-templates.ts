import type { ChannelTemplates } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import { NOT_OPENED, SealError } from '../../kernel/seal.ts';
import { readChannel as readRow } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';

/**
 * Lists the message templates of the channel's account. The provider returns the current templates, because stored
 * templates could be out of date.
 */
export async function listTemplates(
  { db, openSecrets, connector }: Pick<ChannelsDeps, 'db' | 'openSecrets' | 'connector'>,
  orgId: string,
  id: string,
): Promise<ChannelTemplates> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  const secrets = await openSecrets(row).catch((error: unknown) => {
    if (error instanceof SealError) throw new Refusal('channel_check_failed', NOT_OPENED);
    throw error;
  });
  const answer = await connector.templates(row.kind, { id, settings: row.settings, secrets });
  if (answer === null) {
    throw new Refusal('channel_unsupported', `A channel of the kind ${row.kind} has no templates.`);
  }
  if ('refused' in answer) throw new Refusal('channel_check_failed', answer.refused.detail);
  return { items: answer.items };
}
