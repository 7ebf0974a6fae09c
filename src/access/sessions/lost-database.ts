import { Refusal } from '../../../contract/problems.ts';
import { isUnreachable } from '../../store/db.ts';

/**
 * What a database that went away in the middle means to the caller: a read was not answered; of a change it is not known
 * whether it was made. Everything else stays what it is.
 */
export function lostDatabase(method: string, error: unknown): unknown {
  if (error instanceof Refusal || !isUnreachable(error)) return error;
  return method === 'GET'
    ? new Refusal('unavailable', undefined, { cause: error })
    : new Refusal(
        'outcome_unknown',
        'The database went away before it confirmed the change: look before you repeat it.',
        { cause: error },
      );
}
