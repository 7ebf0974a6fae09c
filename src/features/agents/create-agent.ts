import type { AgentRecord, CreateAgentBody } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { countAgents } from '../../store/agents/read.ts';
import { insertAgent } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { insertChannel } from '../../store/channels/channels.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type AgentsDeps, MAX_AGENTS } from './deps.ts';
import { checkDefinition, checkToolAddresses } from './check-definition.ts';
import { foundAgent, presentAgent } from './read-agents.ts';

/** An agent is created with its sandbox channel, so that a user can try the agent immediately. */
export async function createAgent(
  { db, egress }: Pick<AgentsDeps, 'db' | 'egress'>,
  orgId: string,
  { name, definition = {} }: CreateAgentBody,
  actor: Actor,
): Promise<AgentRecord> {
  checkDefinition(definition);
  await checkToolAddresses(definition, { egress });
  return db.transaction(async (tx) => {
    // The lock makes two simultaneous calls check the limit one after the other.
    await lockOrganization(tx, orgId);
    if ((await countAgents(tx, orgId)) >= MAX_AGENTS) {
      throw new Refusal('already_exists', `An organization has at most ${MAX_AGENTS} agents.`);
    }
    const id = newId('agent');
    await insertAgent(tx, orgId, { id, name, definition, publishedBy: actor.userId });
    await insertChannel(tx, orgId, { id: newId('channel'), agentId: id, kind: 'sandbox', name: 'Sandbox' });
    await recordAudit(tx, { orgId, actor, action: 'agent.created', subjectId: id, facts: { name } });
    return presentAgent(await foundAgent(tx, orgId, id), []);
  });
}
