import { Refusal } from '../../../contract/problems.ts';
import { createTally } from '../../kernel/tally.ts';

/** Maximum concurrent tries of one organization on one node. */
const MAX_PLAYS = 8;

/** Runs a try of a turn or of a tool, unless the organization runs too many already. */
export type Plays = <T>(orgId: string, work: () => Promise<T>) => Promise<T>;

export function createPlays(): Plays {
  const plays = createTally<string>();
  return async (orgId, work) => {
    if (plays.of(orgId) >= MAX_PLAYS) {
      throw new Refusal('rate_limited', `At most ${MAX_PLAYS} tests run at the same time.`);
    }
    plays.add(orgId);
    try {
      return await work();
    } finally {
      plays.remove(orgId);
    }
  };
}
