import { MAX_PRICES, type ModelPrice, type SetPriceBody } from '../../../contract/dashboard/costs.ts';
import { invalidAt } from '../../../contract/problems.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { deletePrice, listPrices as listRows, writePrice } from '../../store/costs/prices.ts';

export const listPrices = async ({ db }: { db: Queryable }, orgId: string): Promise<ModelPrice[]> =>
  (await listRows(db, orgId)).map(({ provider, model, currency, input, output, cached }) => ({
    provider: provider as ModelPrice['provider'],
    model,
    currency,
    input: Number(input),
    output: Number(output),
    cached: cached === null ? null : Number(cached),
  }));

/** The price applies to turns that start later. Returns all prices of the organization. */
export async function setPrice(
  { db }: { db: Db },
  orgId: string,
  { provider, model, price }: SetPriceBody,
  actor: Actor,
): Promise<ModelPrice[]> {
  return db.transaction(async (tx) => {
    const subjectId = `${provider}/${model}`;
    if (price === null) {
      await deletePrice(tx, orgId, provider, model);
      await recordAudit(tx, { orgId, actor, action: 'model_price.removed', subjectId });
      return listPrices({ db: tx }, orgId);
    }
    const { currency, input, output, cached = null } = price;
    const amounts = { input: String(input), output: String(output), cached: cached === null ? null : String(cached) };
    // The lock makes two simultaneous calls check the limit one after the other.
    await lockOrganization(tx, orgId);
    await writePrice(tx, { orgId, provider, model, currency, ...amounts });
    const all = await listPrices({ db: tx }, orgId);
    if (all.length > MAX_PRICES) {
      const detail = `At most ${MAX_PRICES} models can have a price.`;
      throw invalidAt('/model', 'too_many', detail);
    }
    await recordAudit(tx, { orgId, actor, action: 'model_price.set', subjectId, facts: { currency, ...amounts } });
    return all;
  });
}
