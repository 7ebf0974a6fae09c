import type { AttributeOrder } from '../../../contract/dashboard/end-users.ts';
import { readAttributeOrder as readNames, writeAttributeOrder } from '../../store/end-users/attribute-order.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { EndUsersDeps } from './deps.ts';

type Deps = Pick<EndUsersDeps, 'db'>;

export const readAttributeOrder = async ({ db }: Deps, orgId: string): Promise<AttributeOrder> => ({
  names: await readNames(db, orgId),
});

/** The order of attributes applies to all members. A new order of attributes changes no end user. */
export async function setAttributeOrder(
  { db }: Deps,
  orgId: string,
  { names }: AttributeOrder,
  actor: Actor,
): Promise<AttributeOrder> {
  await db.transaction(async (tx) => {
    await writeAttributeOrder(tx, orgId, names);
    const facts = { count: names.length };
    await recordAudit(tx, { orgId, actor, action: 'organization.attribute_order_set', subjectId: orgId, facts });
  });
  return { names };
}
