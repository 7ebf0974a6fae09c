import { Refusal } from '../../contract/problems.ts';

/** Neither the memory nor the database can say who may: 503, never a 401, never a yes. */
export const undecided = (cause: unknown): Refusal =>
  new Refusal('unavailable', 'Access cannot be decided right now. Nothing was done: try again in a moment.', { cause });
