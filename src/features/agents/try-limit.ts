import { Refusal } from '../../../contract/problems.ts';
import { createTally } from '../../kernel/tally.ts';

/** Maximum number of concurrent tests of one organization on one node. */
const MAX_TRIES = 8;

const underWay = createTally<string>();

/** Runs a test of a turn or of a tool. Refuses the test while the organization runs too many tests. */
export async function limitTries<T>(orgId: string, work: () => Promise<T>): Promise<T> {
  if (underWay.of(orgId) >= MAX_TRIES) {
    throw new Refusal('rate_limited', `At most ${MAX_TRIES} tests run at the same time.`);
  }
  underWay.add(orgId);
  try {
    return await work();
  } finally {
    underWay.remove(orgId);
  }
}
