import type { TriggerRecord } from '../../../contract/dashboard/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Db } from '../../store/db.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { findTrigger, listTriggerRows, type TriggerRow } from '../../store/triggers.ts';
import { presentTrigger } from './present-trigger.ts';

export async function readTrigger(db: Db, orgId: string, id: string): Promise<TriggerRecord> {
  const row = await findTrigger(db, orgId, id);
  if (!row) throw new Refusal('trigger_not_found');
  return presentTrigger(row);
}

export const listTriggers = (
  db: Db,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<TriggerRow>> => listTriggerRows(db, orgId, filter, page);
