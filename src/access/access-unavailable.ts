import { Refusal } from '../../contract/problems.ts';

/** If a query hangs for this time, the caller gets the response that access cannot be decided. */
const LOOK_UP_TIMEOUT_MS = 3_000;

/** If neither memory nor database can decide, the response is 503, never a 401 and never a grant. */
export const accessUnavailable = (cause: unknown): Refusal =>
  new Refusal('unavailable', 'Access cannot be checked right now. Nothing was done. Retry in a moment.', { cause });

/** The result of a look-up, or the refusal that access cannot be decided now. */
export async function orUnavailable<T>(lookUp: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(accessUnavailable(new Error('The look-up timed out.'))), LOOK_UP_TIMEOUT_MS);
  });
  try {
    return await Promise.race([lookUp, late]);
  } catch (error) {
    // A look-up that failed for any reason neither grants nor refuses.
    throw error instanceof Refusal ? error : accessUnavailable(error);
  } finally {
    clearTimeout(timer);
  }
}
