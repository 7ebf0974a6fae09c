import type { ModelUse, Use } from '../../../contract/costs.ts';
import type { ModelUseRow, UseRow } from './read-use.ts';

const counts = (row: Omit<UseRow, 'unpriced' | 'costs'>) => ({
  turns: row.turns,
  calls: row.calls,
  unmeasured_calls: row.unmeasured,
  input_tokens: row.input,
  cached_tokens: row.cached,
  output_tokens: row.output,
  tool_calls: row.tool_calls,
  seconds: row.seconds,
});

export const presentUse = (row: UseRow): Use => ({
  ...counts(row),
  cost: Object.entries(row.costs).map(([currency, amount]) => ({ amount, currency })),
  unpriced_tokens: row.unpriced,
});

export const presentModelUse = (row: ModelUseRow): ModelUse => ({
  provider: row.provider,
  model: row.model,
  ...counts(row),
  cost: row.cost === null || row.currency === null ? null : { amount: row.cost, currency: row.currency },
  instead_of: row.instead_of,
});
