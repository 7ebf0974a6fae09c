import type { CreateTriggerBody, TriggerRecord } from '../../../contract/dashboard/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { VariableDeclaration } from '../../../contract/triggers.ts';
import { newId } from '../../kernel/ids.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Queryable } from '../../store/db.ts';
import { findTriggerTargets, insertTrigger } from '../../store/triggers.ts';
import { presentTrigger } from './present-trigger.ts';
import { checkDeclarations } from './variables.ts';
import { checkVersion } from './check-version.ts';
import type { TriggersDeps } from './deps.ts';

export async function createTrigger(
  { access }: Pick<TriggersDeps, 'access'>,
  orgId: string,
  input: CreateTriggerBody,
  actor: Actor,
): Promise<TriggerRecord> {
  const id = newId('trigger');
  const { result } = await access.change({ kind: 'trigger', id }, async (tx) => {
    await checkTrigger(tx, orgId, input.agent_id, input);
    const row = await insertTrigger(tx, orgId, {
      id,
      agentId: input.agent_id,
      name: input.name,
      enabled: input.enabled ?? true,
      variables: input.variables ?? [],
      channelId: input.channel_id ?? null,
      agentVersion: input.agent_version ?? null,
    });
    await recordAudit(tx, { orgId, actor, action: 'trigger.created', subjectId: id, facts: { name: input.name } });
    return row;
  });
  return presentTrigger(result);
}

/** Checks the rules that the schema cannot express, for example that agent and channel exist and belong together. */
export async function checkTrigger(
  db: Queryable,
  orgId: string,
  agentId: string,
  input: { variables?: VariableDeclaration[]; channel_id?: string | null; agent_version?: number | null },
): Promise<void> {
  const faults = checkDeclarations(input.variables ?? []);
  const targets = await findTriggerTargets(db, orgId, agentId, input.channel_id ?? null);
  if (!targets.agent) throw new Refusal('agent_not_found');
  if (!targets.channel) {
    faults.push({ pointer: '/channel_id', code: 'not_found', detail: 'The agent has no channel with this id.' });
  }
  if (faults.length > 0) throw new Refusal('validation_failed', undefined, { errors: faults });
  await checkVersion(db, orgId, agentId, input.agent_version ?? null);
}
