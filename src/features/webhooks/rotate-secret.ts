import { OVERLAP_MS } from '../../../contract/dashboard/keys.ts';
import type { NewWebhook, RotateWebhookBody } from '../../../contract/dashboard/webhooks.ts';
import { Refusal } from '../../../contract/problems.ts';
import { SealError } from '../../kernel/seal.ts';
import { newWebhookSecret } from '../../kernel/standard-webhooks.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { changeWebhook, lockWebhook } from '../../store/webhooks.ts';
import { presentWebhook } from './read-webhooks.ts';
import { openSecrets, sealSecrets, type WebhookSecrets } from './secrets.ts';
import type { WebhooksDeps } from './deps.ts';

/**
 * Creates a new secret for an endpoint, which only this response shows. During the overlap of a rotation, every
 * delivery has two signatures, so the receiver may switch at any time. A second rotation within the overlap drops the
 * oldest secret immediately.
 */
export async function rotateSecret(
  { db, sealingKey }: WebhooksDeps,
  orgId: string,
  id: string,
  overlap: RotateWebhookBody['overlap'],
  actor: Actor,
): Promise<NewWebhook> {
  return db.transaction(async (tx) => {
    const before = await lockWebhook(tx, orgId, id);
    if (!before) throw new Refusal('webhook_not_found');
    // A secret that does not open cannot sign, so its replacement solves the problem.
    const { secret: previous } = await openSecrets(tx, sealingKey, before).catch(noSecrets);
    const secret = newWebhookSecret();
    const secrets = overlap === 'now' || previous === undefined ? { secret } : { secret, previous };
    const row = await changeWebhook(tx, orgId, id, {
      sealed: await sealSecrets(tx, sealingKey, before, secrets),
      previousUntil: overlap === 'now' ? null : new Date(Date.now() + OVERLAP_MS[overlap]),
    });
    await recordAudit(tx, { orgId, actor, action: 'webhook.secret_rotated', subjectId: id, facts: { overlap } });
    return { ...presentWebhook(row!), secret };
  });
}

function noSecrets(error: unknown): Partial<WebhookSecrets> {
  if (error instanceof SealError) return {};
  throw error;
}
