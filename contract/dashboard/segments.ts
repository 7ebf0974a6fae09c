import { Type, type Static } from 'typebox';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Name } from './shapes.ts';

/** The list of segments has no pages, because one organization has at most this many. */
export const MAX_SEGMENTS = 200;

/** A segment is a name for filters of end users. The filters are evaluated each time the segment is used. */
const filters = Type.Unsafe<Static<typeof EndUserExportQuery>>({ ...EndUserExportQuery, minProperties: 1 });

export const SegmentRecord = Type.Object(
  { id: Type.String(), name: Type.String(), filters, created_at: Moment },
  { title: 'Segment' },
);
export type SegmentRecord = Static<typeof SegmentRecord>;

export const CreateSegmentBody = Type.Object({ name: Name, filters }, closed);
export type CreateSegmentBody = Static<typeof CreateSegmentBody>;
