import type { AuditFormat, AuditRecord } from '../../../contract/dashboard/activity.ts';
import { timestamp } from '../../kernel/clock.ts';
import { csv, csvHeader } from '../../../contract/csv.ts';
import { type AuditFilter, type AuditRow, listAudit } from '../../store/organizations/activity.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { PageOf } from '../../store/page.ts';
import { labelsOfTokens } from '../../store/access-tokens/tokens.ts';
import { findPeople, type Person } from '../../store/accounts/accounts.ts';
import type { OrganizationsDeps } from './deps.ts';

const PAGE = 1_000;

/** An exported entry of the audit log has the content of the dashboard, plus the person's address. */
type Line = Omit<AuditRecord, 'subject_name'> & { actor_email: string | null };

/**
 * Exports the filtered audit log, newest entry first. The export is streamed while the log is read. The export itself
 * is also an entry of the log, written before the first byte is sent.
 */
export async function exportAudit(
  { db }: Pick<OrganizationsDeps, 'db'>,
  orgId: string,
  { format, filter }: { format: AuditFormat; filter: AuditFilter },
  actor: Actor,
): Promise<AsyncIterable<string>> {
  const { subjectId, actor: by, since, until } = filter;
  const facts = {
    format,
    ...(subjectId && { subject_id: subjectId }),
    ...(by && { actor: by }),
    ...(since && { since: timestamp(since) }),
    ...(until && { until: timestamp(until) }),
  };
  await recordAudit(db, { orgId, actor, action: 'audit.exported', subjectId: orgId, facts });
  return (async function* write() {
    if (format === 'csv') yield csvHeader(COLUMNS);
    for (let after: AuditRow | null = null; ;) {
      const page: PageOf<AuditRow> = await listAudit(db, orgId, filter, { limit: PAGE, after });
      const people = await findPeople(
        db,
        page.rows.map((row) => row.actor),
      );
      const labels = await labelsOfTokens(
        db,
        orgId,
        page.rows.map((row) => row.tokenId),
      );
      const lines = page.rows.map((row) => present(row, people.get(row.actor), labels.get(row.tokenId ?? '')));
      if (lines.length > 0) yield format === 'csv' ? csv(lines.map(cellsOf)) : lines.map(asJson).join('');
      if (!page.hasMore) return;
      after = page.rows.at(-1)!;
    }
  })();
}

const COLUMNS = [
  'created_at',
  'action',
  'subject_id',
  'actor',
  'actor_name',
  'actor_email',
  'token_id',
  'token_label',
  'address',
  'request_id',
  'facts',
  'id',
] as const satisfies readonly (keyof Line)[];

const present = (row: AuditRow, person: Person | undefined, label: string | undefined): Line => ({
  id: row.id,
  created_at: timestamp(row.createdAt),
  action: row.action,
  subject_id: row.subjectId,
  actor: row.actor,
  actor_name: person?.name ?? null,
  actor_email: person?.email ?? null,
  token_id: row.tokenId,
  token_label: label ?? null,
  address: row.address,
  request_id: row.requestId,
  facts: row.facts,
});

const cellsOf = (line: Line): string[] =>
  COLUMNS.map((name) => (name === 'facts' ? JSON.stringify(line.facts) : (line[name] ?? '')));

const asJson = (line: Line): string => `${JSON.stringify(line)}\n`;
