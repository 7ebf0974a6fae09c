/**
 * Loads a value that a process may never need. The first caller loads the value, and concurrent callers share it. A
 * failure is not cached, so the next caller tries again. For example, a file may be missing only during a build.
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
