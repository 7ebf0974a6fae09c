import type { AgentSecret } from '../../../contract/dashboard/tools.ts';
import { Refusal } from '../../../contract/problems.ts';
import { CODE_PROVIDER, CODE_SECRET } from '../../../contract/turns.ts';
import { readAgent } from '../../store/agents/read.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { readToolSecrets } from '../../store/tool-secrets.ts';
import { rotateToolSecret } from './change-tool-secret.ts';
import { createToolSecret } from './create-tool-secret.ts';
import type { ToolSecretsDeps } from './deps.ts';

const OVERLAP = '24h';

/**
 * Creates or replaces the secret that signs the turns of an agent whose provider is the customer's own code. The secret
 * belongs to the origin of the URL in the draft, because a secret that several hosts know lets one host forge calls to
 * another.
 */
export async function rotateAgentSecret(
  deps: ToolSecretsDeps,
  orgId: string,
  agentId: string,
  actor: Actor,
): Promise<AgentSecret> {
  const agent = await readAgent(deps.db, orgId, agentId);
  if (!agent) throw new Refusal('agent_not_found');
  const { url } = [agent.draft, agent.published].find(({ provider }) => provider === CODE_PROVIDER) ?? {};
  if (url === undefined) throw new Refusal('validation_failed', NO_CODE);
  const rows = await readToolSecrets(deps.db, orgId, agentId, CODE_SECRET);
  const row = rows.find(({ origin }) => origin === new URL(url).origin);
  const { secret } = row
    ? await rotateToolSecret(deps, { orgId, agentId, id: row.id }, { overlap: OVERLAP }, actor)
    : await createToolSecret(deps, orgId, agentId, { tool: CODE_SECRET, url }, actor);
  return { secret };
}

const NO_CODE = 'The agent has no URL of your code: set "provider": "http" and "url" in its definition first.';
