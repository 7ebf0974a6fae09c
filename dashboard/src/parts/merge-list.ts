/** Applies the difference between two lists to the newest list, which another member may have changed. */
export function mergeList(newest: readonly string[], before: readonly string[], after: readonly string[]): string[] {
  const isLeft = (item: string): boolean => after.includes(item) || !before.includes(item);
  const added = after.filter((item) => !before.includes(item));
  return [...new Set([...newest.filter(isLeft), ...added])];
}
