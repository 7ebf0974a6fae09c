import { Refusal } from '../../contract/problems.ts';
import { undecided } from './undecided.ts';

/** A query may hang, but the caller must not: after this time the answer is that the key store cannot be reached. */
const FILL_TIMEOUT_MS = 3_000;

/** The result of a look-up, or the refusal that access cannot be decided now. */
export async function orUnavailable<T>(fill: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(undecided(new Error('The look-up timed out.'))), FILL_TIMEOUT_MS);
  });
  try {
    return await Promise.race([fill, late]);
  } catch (error) {
    // A look-up that failed for any reason neither grants nor refuses.
    throw error instanceof Refusal ? error : undecided(error);
  } finally {
    clearTimeout(timer);
  }
}
