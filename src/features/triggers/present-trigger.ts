import type { TriggerRecord } from '../../../contract/dashboard/triggers.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { TriggerRow } from '../../store/triggers.ts';

export const presentTrigger = (row: TriggerRow): TriggerRecord => ({
  id: row.id,
  agent_id: row.agentId,
  name: row.name,
  enabled: row.enabled,
  variables: row.variables,
  channel_id: row.channelId,
  agent_version: row.agentVersion,
  path: `/api/triggers/${row.agentId}/${row.id}`,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
