import { type CreateSegmentBody, MAX_SEGMENTS, type SegmentRecord } from '../../../contract/dashboard/segments.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Db } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import {
  deleteSegment as deleteRow,
  insertSegment,
  listSegments as listRows,
  type SegmentRow,
} from '../../store/segments.ts';

export type SegmentsDeps = { db: Db };

export const listSegments = async ({ db }: SegmentsDeps, orgId: string): Promise<SegmentRecord[]> =>
  (await listRows(db, orgId)).map(present);

export const createSegment = (
  { db }: SegmentsDeps,
  orgId: string,
  { name, filters }: CreateSegmentBody,
  actor: Actor,
): Promise<SegmentRecord> =>
  db.transaction(async (tx) => {
    // The lock makes two simultaneous changes check the limit and the name one after the other.
    await lockOrganization(tx, orgId);
    const others = await listRows(tx, orgId);
    if (others.length >= MAX_SEGMENTS)
      throw new Refusal('already_exists', `An organization has at most ${MAX_SEGMENTS} segments.`);
    if (others.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      throw new Refusal('already_exists', 'Another segment has this name.');
    const row = await insertSegment(tx, orgId, { id: newId('segment'), name, filters });
    await recordAudit(tx, { orgId, action: 'segment.created', actor, subjectId: row.id, facts: { name } });
    return present(row);
  });

/** Campaigns that used the segment keep their recipients. */
export const deleteSegment = ({ db }: SegmentsDeps, orgId: string, id: string, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await deleteRow(tx, orgId, id);
    if (!row) throw new Refusal('segment_not_found');
    await recordAudit(tx, { orgId, action: 'segment.deleted', actor, subjectId: id, facts: { name: row.name } });
  });

const present = ({ id, name, filters, createdAt }: SegmentRow): SegmentRecord => ({
  id,
  name,
  filters,
  created_at: timestamp(createdAt),
});
