import { oneOfIn, type RawSearch } from '../../list/read-search.ts';
import { type FirstStepsSearch, readFirstStepsSearch } from './first-steps/search.ts';

/** A copy of the contract's list, because an import would also load the schemas in that file. */
export const PERIODS = ['24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

export type HomeSearch = FirstStepsSearch & { period?: Period };
export const readHomeSearch = (raw: RawSearch): HomeSearch => ({
  ...readFirstStepsSearch(raw),
  period: oneOfIn(raw, 'period', PERIODS),
});
