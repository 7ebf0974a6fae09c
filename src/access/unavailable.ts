import { Refusal } from '../../contract/problems.ts';

const RETRY_AFTER_SECONDS = '2';

/** Row 5: neither the memory nor the database can say who may. Never a 401, never a yes. */
export const unavailable = (cause: unknown): Refusal =>
  new Refusal('unavailable', 'Access cannot be decided right now. Nothing was done: try again in a moment.', {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
    cause,
  });
