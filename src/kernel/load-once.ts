/**
 * What a process may never need is read by the first caller, once: concurrent callers share it. A failure is not kept,
 * so the next caller reads again: the file may only have been missing while the program was built.
 */
export function loadOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null;
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = null;
      throw error;
    });
    return reading;
  };
}
