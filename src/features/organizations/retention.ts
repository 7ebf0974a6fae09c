import type { RetentionPreview, RetentionRecord } from '../../../contract/dashboard/organizations.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import {
  countOld,
  eraseOld,
  readRetention as readRow,
  setRetention as write,
} from '../../store/organizations/retention.ts';
import type { OrganizationsDeps } from './deps.ts';

/**
 * How long the conversations of an organization are stored, if it sets a period (contract/limits.ts). Without a period,
 * conversations are stored forever. Once a minute, the housekeeper erases old data. A conversation without activity in
 * the period is erased completely, with its messages, runs, notes and files. A conversation that is still active loses
 * its older messages, runs and notes, unless a turn must still answer them. A conversation that waits for the team
 * stays. Campaigns keep their recipients, without the messages. End users, keys and the audit log have no period.
 */
type Deps = Pick<OrganizationsDeps, 'db'>;

export async function readRetention({ db }: Deps, orgId: string): Promise<RetentionRecord> {
  const row = await readRow(db, orgId);
  return { days: row?.days ?? null, swept_at: row?.sweptAt ? timestamp(row.sweptAt) : null };
}

/** Counts what a retention period of this length would delete. The preview changes nothing. */
export async function previewRetention({ db }: Deps, orgId: string, days: number): Promise<RetentionPreview> {
  const { many, more } = await countOld(db, orgId, days);
  return { conversations: many, more };
}

/**
 * Sets the period for which conversations are stored. Null: conversations are stored forever. The housekeeper starts to
 * erase within a minute.
 */
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

/** Erases one batch of the organization that has been due longest. Returns false if no organization is due. */
export const applyRetention = (db: Db): Promise<boolean> => eraseOld(db);
