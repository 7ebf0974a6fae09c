import type { TagEndUsersBody, TaggedEndUsers } from '../../../contract/dashboard/end-users.ts';
import type { Db } from '../../store/db.ts';
import { tagPeople } from '../../store/end-users/tag.ts';

/**
 * Adds or removes one tag of several people. IDs of other organizations change nothing. A repeated call has no further
 * effect.
 */
export const tagEndUsers = ({ db }: { db: Db }, orgId: string, body: TagEndUsersBody): Promise<TaggedEndUsers> =>
  db.transaction((tx) => tagPeople(tx, orgId, body));
