import { type CreateWebhookBody, MAX_WEBHOOKS, type NewWebhook } from '../../../contract/dashboard/webhooks.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { newWebhookSecret } from '../../kernel/standard-webhooks.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { countWebhooks, insertWebhook } from '../../store/webhooks.ts';
import { presentWebhook } from './read-webhooks.ts';
import { sealSecrets } from './secrets.ts';
import type { WebhooksDeps } from './deps.ts';

/** Only this response contains the signing secret. */
export async function createWebhook(
  deps: WebhooksDeps,
  orgId: string,
  { url, description = '', types = [] }: CreateWebhookBody,
  actor: Actor,
): Promise<NewWebhook> {
  await checkAddress(deps.egress, '/url', url);
  const id = newId('whk');
  const secret = newWebhookSecret();
  return deps.db.transaction(async (tx) => {
    if ((await countWebhooks(tx, orgId)) >= MAX_WEBHOOKS) {
      throw new Refusal('already_exists', `An organization has at most ${MAX_WEBHOOKS} endpoints; delete one first.`);
    }
    const sealed = await sealSecrets(tx, deps.sealingKey, { orgId, id, url }, { secret });
    const row = await insertWebhook(tx, orgId, { id, url, description, types, sealed });
    await recordAudit(tx, { orgId, actor, action: 'webhook.created', subjectId: id, facts: { url, types } });
    return { ...presentWebhook(row), secret };
  });
}
