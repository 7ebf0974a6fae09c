import type { OrganizationRecord } from '../../../contract/dashboard/organizations.ts';
import type { Role } from '../../../contract/permissions.ts';
import { timestamp } from '../../kernel/clock.ts';
import { hasCells } from '../../store/cells/cell-pool.ts';
import { listCells } from '../../store/cells/list-cells.ts';
import { listAllOrganizations, listMemberships, type Organization } from '../../store/organizations/organizations.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { OrganizationsDeps } from './deps.ts';

/**
 * Lists the person's own organizations. On request, the operator gets all organizations, filtered by a part of the name
 * or by ID, with the cells of the database if the database has several.
 */
export async function listOrganizations(
  { db }: Pick<OrganizationsDeps, 'db'>,
  { userId, onlyOrgId }: { userId: string; onlyOrgId: string | null },
  { all, text }: { all: boolean; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<OrganizationRecord>> {
  if (!all) {
    const { rows, hasMore } = await listMemberships(db, userId, onlyOrgId, page);
    return { rows: rows.map(presentOrganization), hasMore };
  }
  const { rows, hasMore } = await listAllOrganizations(db, userId, text, page);
  const cells = new Map(hasCells(db.$client) ? (await listCells(db)).map((cell) => [cell.cell, cell]) : []);
  const present = (row: (typeof rows)[number]): OrganizationRecord => {
    const cell = cells.get(row.cell);
    const load = cell && { name: row.cell, organizations: cell.organizations.length, bytes: cell.bytes };
    return { ...presentOrganization(row), ...(load && { cell: load }) };
  };
  return { rows: rows.map(present), hasMore };
}

export const presentOrganization = (row: Organization & { role: Role | null }): OrganizationRecord => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  role: row.role,
  requires_second_factor: row.requiresSecondFactor,
  time_zone: row.timeZone,
  created_at: timestamp(row.createdAt),
});
