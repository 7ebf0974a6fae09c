import type { TagEndUsersBody, TaggedEndUsers } from '../../../contract/dashboard/end-users.ts';
import type { Db } from '../../store/db.ts';
import { tagPeople } from '../../store/end-users/tag.ts';

/** One tag of several people. Ids that are not of this organization change nothing. Repeating it has no further effect. */
export const tagEndUsers = ({ db }: { db: Db }, orgId: string, body: TagEndUsersBody): Promise<TaggedEndUsers> =>
  db.transaction((tx) => tagPeople(tx, orgId, body));
