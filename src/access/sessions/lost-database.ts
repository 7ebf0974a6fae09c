import { Refusal } from '../../../contract/problems.ts';
import { isUnreachable } from '../../store/db.ts';

/**
 * Maps a database that is lost during a request to an error for the caller: a read is unavailable, and a change has an
 * unknown outcome. All errors except a lost database stay the same.
 */
export function lostDatabase(method: string, error: unknown): unknown {
  if (error instanceof Refusal || !isUnreachable(error)) return error;
  return method === 'GET'
    ? new Refusal('unavailable', undefined, { cause: error })
    : new Refusal(
        'outcome_unknown',
        'The connection to the database was lost before it confirmed the change. Check whether the change was made before you repeat it.',
        { cause: error },
      );
}
