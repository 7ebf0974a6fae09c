import type { WebhookRecord } from '../../../contract/dashboard/webhooks.ts';
import type { EventType } from '../../../contract/event-types.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listWebhooks as listRows, readWebhook as readRow, type WebhookRow } from '../../store/webhooks.ts';
import type { WebhooksDeps } from './deps.ts';

type Reads = Pick<WebhooksDeps, 'db'>;

export const listWebhooks = async ({ db }: Reads, orgId: string): Promise<WebhookRecord[]> =>
  (await listRows(db, orgId)).map(presentWebhook);

export async function readWebhook({ db }: Reads, orgId: string, id: string): Promise<WebhookRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('webhook_not_found');
  return presentWebhook(row);
}

/** The only format in which an endpoint is returned. The output never contains secrets. */
export const presentWebhook = (row: WebhookRow): WebhookRecord => ({
  id: row.id,
  url: row.url,
  description: row.description,
  types: row.types as EventType[],
  enabled: row.enabled,
  disabled_reason: row.disabledReason as WebhookRecord['disabled_reason'],
  previous_secret_until:
    row.previousUntil && row.previousUntil.getTime() > Date.now() ? timestamp(row.previousUntil) : null,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
