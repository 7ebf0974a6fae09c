import { and, asc, eq } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { modelPrice } from '../schema/costs.ts';

export type PriceRow = typeof modelPrice.$inferSelect;

export const listPrices = async (db: Queryable, orgId: string): Promise<PriceRow[]> =>
  db
    .select()
    .from(modelPrice)
    .where(eq(modelPrice.orgId, orgId))
    .orderBy(asc(modelPrice.provider), asc(modelPrice.model));

export async function writePrice(db: Queryable, row: Omit<PriceRow, 'updatedAt'>): Promise<void> {
  const { currency, input, output, cached } = row;
  await db
    .insert(modelPrice)
    .values(row)
    .onConflictDoUpdate({
      target: [modelPrice.orgId, modelPrice.provider, modelPrice.model],
      set: { currency, input, output, cached, updatedAt: new Date() },
    });
}

export async function deletePrice(db: Queryable, orgId: string, provider: string, model: string): Promise<void> {
  await db
    .delete(modelPrice)
    .where(and(eq(modelPrice.orgId, orgId), eq(modelPrice.provider, provider), eq(modelPrice.model, model)));
}
