/**
 * Loads something that a process may never need. The first caller loads the thing, and concurrent callers share the
 * result. A failure is not cached, so the next caller tries again, because the file may have been missing only during a
 * build.
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
