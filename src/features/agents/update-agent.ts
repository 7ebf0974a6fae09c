import type { AgentRecord, UpdateAgentBody } from '../../../contract/dashboard/agents.ts';
import { Refusal } from '../../../contract/problems.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { publishDefinition } from '../../store/agents/versions.ts';
import { changeAgent } from '../../store/agents/write.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import type { AgentsDeps } from './deps.ts';
import { checkDefinition, checkToolAddresses } from './check-definition.ts';
import { passPublishGate, refuseDuringRollout } from './publish-gate.ts';
import { readAgent } from './read-agents.ts';

/**
 * A new definition becomes live immediately. If `publish` is false, the definition becomes the draft. Nodes cache the
 * name and the field `enabled` of an agent, so their changes use the change log.
 */
export async function updateAgent(
  { db, access, egress }: Pick<AgentsDeps, 'db' | 'access' | 'egress'>,
  orgId: string,
  id: string,
  changes: UpdateAgentBody,
  actor: Actor,
): Promise<AgentRecord> {
  if (changes.definition) {
    checkDefinition(changes.definition);
    await checkToolAddresses(changes.definition, { egress });
  }
  const isRemembered = changes.name !== undefined || changes.enabled !== undefined;
  await (isRemembered
    ? access.change({ kind: 'agent', id }, (tx) => apply(tx, orgId, id, changes, actor))
    : db.transaction((tx) => apply(tx, orgId, id, changes, actor)));
  return readAgent({ db }, orgId, id);
}

async function apply(
  tx: Queryable,
  orgId: string,
  id: string,
  { name, enabled, definition, publish = true, without_tests }: UpdateAgentBody,
  actor: Actor,
): Promise<void> {
  const row = await lockAgent(tx, orgId, id);
  if (!row) throw new Refusal('agent_not_found');
  if (definition && publish) await refuseDuringRollout(tx, orgId, id);
  const facts: Record<string, unknown> =
    definition && publish ? await passPublishGate(tx, orgId, id, definition, without_tests) : {};
  if (name !== undefined || enabled !== undefined) {
    await changeAgent(tx, orgId, id, {
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { enabled }),
    });
    Object.assign(facts, name !== undefined && { name }, enabled !== undefined && { enabled });
  }
  if (definition && publish) facts['version'] = await publishDefinition(tx, row, definition, actor.userId);
  if (definition && !publish) {
    await changeAgent(tx, orgId, id, { draft: definition });
    facts['draft'] = true;
  }
  await recordAudit(tx, { orgId, actor, action: 'agent.updated', subjectId: id, facts });
}
