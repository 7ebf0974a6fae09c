import type { RetentionPreview, RetentionRecord } from '../../../contract/dashboard/organizations.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { countOld, readRetention as readRow, setRetention as write } from '../../store/organizations/retention.ts';
import type { OrganizationsDeps } from './deps.ts';

type Deps = Pick<OrganizationsDeps, 'db'>;

export async function readRetention({ db }: Deps, orgId: string): Promise<RetentionRecord> {
  const row = await readRow(db, orgId);
  return { days: row?.days ?? null, swept_at: row?.sweptAt ? timestamp(row.sweptAt) : null };
}

/** What such a retention period would delete; changes nothing. */
export async function previewRetention({ db }: Deps, orgId: string, days: number): Promise<RetentionPreview> {
  const { many, more } = await countOld(db, orgId, days);
  return { conversations: many, more };
}

/** How long conversations are kept; null: forever. The housekeeper starts to erase within a minute. */
export async function setRetention(
  deps: Deps,
  orgId: string,
  days: number | null,
  actor: Actor,
): Promise<RetentionRecord> {
  await deps.db.transaction(async (tx) => {
    const before = (await readRow(tx, orgId))?.days ?? null;
    if (before === days) return;
    await write(tx, orgId, days);
    const facts = { days, before };
    await recordAudit(tx, { orgId, actor, action: 'organization.retention_set', subjectId: orgId, facts });
  });
  return readRetention(deps, orgId);
}
