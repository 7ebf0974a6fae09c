import { dayIn, type RawSearch } from '../../../list/read-search.ts';

/** The days are in UTC, and the period includes both ends. Without days in the URL, the page shows the last 30 days. */
export type CostsSearch = { since?: string; until?: string };
export const readCostsSearch = (raw: RawSearch): CostsSearch => ({
  since: dayIn(raw, 'since'),
  until: dayIn(raw, 'until'),
});
