import type { TriggerRecord, UpdateTriggerBody } from '../../../contract/dashboard/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { findTrigger, updateTriggerRow } from '../../store/triggers.ts';
import { checkTrigger } from './create-trigger.ts';
import { presentTrigger } from './present-trigger.ts';
import type { TriggersDeps } from './deps.ts';

/** The change takes effect on every node before the function resolves, because disabling is as strict as revoking. */
export async function updateTrigger(
  { access }: Pick<TriggersDeps, 'access'>,
  orgId: string,
  id: string,
  input: UpdateTriggerBody,
  actor: Actor,
): Promise<TriggerRecord> {
  const { result } = await access.change({ kind: 'trigger', id }, async (tx) => {
    const before = await findTrigger(tx, orgId, id);
    if (!before) throw new Refusal('trigger_not_found');
    await checkTrigger(tx, orgId, before.agentId, input);
    const row = await updateTriggerRow(tx, orgId, id, {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.enabled !== undefined && { enabled: input.enabled }),
      ...(input.variables !== undefined && { variables: input.variables }),
      ...(input.channel_id !== undefined && { channelId: input.channel_id }),
      ...(input.agent_version !== undefined && { agentVersion: input.agent_version }),
    });
    if (!row) throw new Refusal('trigger_not_found');
    await recordAudit(tx, {
      orgId,
      actor,
      action: 'trigger.updated',
      subjectId: id,
      facts: { changed: Object.keys(input) },
    });
    return row;
  });
  return presentTrigger(result);
}

/** The runs of a deleted trigger stay readable in their conversations. After the deletion, the path answers 404. */
export async function deleteTrigger(
  { access }: Pick<TriggersDeps, 'access'>,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  await access.change({ kind: 'trigger', id }, async (tx) => {
    const row = await updateTriggerRow(tx, orgId, id, { deletedAt: new Date() });
    if (!row) throw new Refusal('trigger_not_found');
    await recordAudit(tx, { orgId, actor, action: 'trigger.deleted', subjectId: id, facts: { name: row.name } });
  });
}
