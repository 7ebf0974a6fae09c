import type { TriggerRecord } from '../../../contract/dashboard/triggers.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { findTrigger, listTriggerRows } from '../../store/triggers.ts';
import type { TriggersDeps } from './deps.ts';
import { presentTrigger } from './present-trigger.ts';

export async function readTrigger({ db }: Pick<TriggersDeps, 'db'>, orgId: string, id: string): Promise<TriggerRecord> {
  const row = await findTrigger(db, orgId, id);
  if (!row) throw new Refusal('trigger_not_found');
  return presentTrigger(row);
}

export async function listTriggers(
  { db }: Pick<TriggersDeps, 'db'>,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<TriggerRecord>> {
  const { rows, hasMore } = await listTriggerRows(db, orgId, filter, page);
  return { rows: rows.map(presentTrigger), hasMore };
}
