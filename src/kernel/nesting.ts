/**
 * True if a JSON value has more than `most` levels. The function uses no recursion, because a hostile caller chooses
 * the depth.
 */
export function isDeeperThan(most: number, value: unknown): boolean {
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [at, depth] = next;
    if (typeof at !== 'object' || at === null) continue;
    if (depth > most) return true;
    for (const part of Object.values(at)) open.push([part, depth + 1]);
  }
  return false;
}
