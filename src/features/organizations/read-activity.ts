import type { AuditRecord, Overview } from '../../../contract/dashboard/activity.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type AuditFilter, countOverview, listAudit as listRows } from '../../store/organizations/activity.ts';
import { namesOfSubjects } from '../../store/organizations/subject-names.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { labelsOfTokens } from '../../store/access-tokens/tokens.ts';
import { namesOf } from '../../store/accounts/accounts.ts';
import type { OrganizationsDeps } from './deps.ts';

type Reads = Pick<OrganizationsDeps, 'db'>;

/**
 * Lists the actions with the person who did each action. Network addresses are shown only to people who manage members.
 */
export async function listAudit(
  { db }: Reads,
  orgId: string,
  filter: AuditFilter,
  { showAddresses }: { showAddresses: boolean },
  page: PageRequest,
): Promise<PageOf<AuditRecord>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  const subjects = rows.map(({ subjectId }) => subjectId);
  const names = await namesOf(db, [...rows.map(({ actor }) => actor), ...subjects]);
  const subjectNames = await namesOfSubjects(db, orgId, subjects);
  const labels = await labelsOfTokens(
    db,
    orgId,
    rows.map(({ tokenId }) => tokenId),
  );
  const present = (row: (typeof rows)[number]): AuditRecord => ({
    id: row.id,
    actor: row.actor,
    actor_name: names.get(row.actor) ?? null,
    token_id: row.tokenId,
    token_label: labels.get(row.tokenId ?? '') ?? null,
    action: row.action,
    subject_id: row.subjectId,
    subject_name: subjectNames.get(row.subjectId) ?? names.get(row.subjectId) ?? null,
    facts: row.facts,
    address: showAddresses ? row.address : null,
    request_id: row.requestId,
    created_at: timestamp(row.createdAt),
  });
  return { rows: rows.map(present), hasMore };
}

export async function readOverview({ db }: Reads, orgId: string): Promise<Overview> {
  const counts = await countOverview(db, orgId);
  return {
    agents: counts.agents,
    triggers: counts.triggers,
    channels: counts.channels,
    campaigns: counts.campaigns,
    active_keys: counts.activeKeys,
    end_users: counts.endUsers,
    members: counts.members,
    conversations: counts.conversations,
    runs_24h: counts.runs24h,
    first_request: counts.firstRequest,
    first_visitor: counts.firstVisitor,
  };
}
