import { type CreateToolSecretBody, MAX_TOOL_SECRETS, type NewToolSecret } from '../../../contract/dashboard/tools.ts';
import { Refusal } from '../../../contract/problems.ts';
import { checkAddress } from '../../kernel/check-address.ts';
import { newId } from '../../kernel/ids.ts';
import { newWebhookSecret } from '../../kernel/standard-webhooks.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { lookOf, sealToolSecrets } from '../../store/open-tool-secret.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { countToolSecrets, insertToolSecret } from '../../store/tool-secrets.ts';
import type { ToolSecretsDeps } from './deps.ts';
import { presentToolSecret } from './read-tool-secrets.ts';

/**
 * Only this response contains the signing secret. The tool need not exist yet, so that its first published version
 * already signs its first call.
 */
export async function createToolSecret(
  { db, egress, sealingKey }: ToolSecretsDeps,
  orgId: string,
  agentId: string,
  { tool, url }: CreateToolSecretBody,
  actor: Actor,
): Promise<NewToolSecret> {
  await checkAddress(egress, '/url', url);
  const { origin } = new URL(url);
  const place = { orgId, id: newId('tsec'), agentId, tool, origin };
  const secret = newWebhookSecret();
  return db.transaction(async (tx) => {
    if (!(await lockAgent(tx, orgId, agentId))) throw new Refusal('agent_not_found');
    if ((await countToolSecrets(tx, orgId, agentId)) >= MAX_TOOL_SECRETS) {
      throw new Refusal('already_exists', `The tools of an agent have at most ${MAX_TOOL_SECRETS} secrets.`);
    }
    const sealed = await sealToolSecrets(tx, sealingKey, place, { secret });
    const row = await insertToolSecret(tx, orgId, { ...place, sealed, credentials: lookOf({}) });
    if (!row)
      throw new Refusal('already_exists', 'The tool has a secret for this scheme, host and port: rotate the secret.');
    const facts = { agent_id: agentId, tool, origin };
    await recordAudit(tx, { orgId, actor, action: 'tool_secret.created', subjectId: row.id, facts });
    return { ...presentToolSecret(row), secret };
  });
}
