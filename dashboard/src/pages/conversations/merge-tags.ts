/** Applies the difference between two lists of tags to the newest list, which another member may have changed. */
export function mergeTags(newest: readonly string[], before: readonly string[], after: readonly string[]): string[] {
  const isLeft = (tag: string): boolean => after.includes(tag) || !before.includes(tag);
  const added = after.filter((tag) => !before.includes(tag));
  return [...new Set([...newest.filter(isLeft), ...added])];
}
