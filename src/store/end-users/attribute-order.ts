import { eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { attributeOrder } from '../schema/attribute-order.ts';

export async function readAttributeOrder(db: Queryable, orgId: string): Promise<string[]> {
  const [row] = await db.select().from(attributeOrder).where(eq(attributeOrder.orgId, orgId));
  return row?.names ?? [];
}

export async function writeAttributeOrder(tx: Queryable, orgId: string, names: readonly string[]): Promise<void> {
  const set = { names: [...names] };
  await tx
    .insert(attributeOrder)
    .values({ orgId, ...set })
    .onConflictDoUpdate({ target: attributeOrder.orgId, set });
}
