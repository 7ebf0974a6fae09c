import type { AdditionRecord, AdditionState } from '../../../contract/dashboard/additions.ts';
import { timestamp } from '../../kernel/clock.ts';
import type { AdditionRow } from '../../store/campaigns/additions.ts';

export const presentAddition = (row: AdditionRow): AdditionRecord => ({
  id: row.id,
  campaign_id: row.campaignId,
  source: row.source as AdditionRecord['source'],
  filters: row.filterNames,
  state: row.state as AdditionState,
  is_held: row.isHeld,
  total: row.total,
  done: row.done,
  accepted: row.accepted,
  duplicates: row.duplicates,
  opted_out: row.optedOut,
  blocked: row.blocked,
  invalid: row.invalid,
  faults: row.faults,
  fault: row.fault,
  created_by: row.startedBy,
  created_at: timestamp(row.createdAt),
  finished_at: row.finishedAt && timestamp(row.finishedAt),
});
