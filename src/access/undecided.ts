import { Refusal } from '../../contract/problems.ts';

/** Neither memory nor database can decide, so the response is 503, never a 401 and never a grant. */
export const undecided = (cause: unknown): Refusal =>
  new Refusal('unavailable', 'Access cannot be checked right now. Nothing was done. Retry in a moment.', { cause });
