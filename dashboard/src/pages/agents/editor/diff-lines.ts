/** More lines are compared as one block: the table grows with the square. */
const MAX_LINES = 800;

/** Lines of both, each with its sign: − is gone, + is new. */
export function diffLines(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  if (a.length > MAX_LINES || b.length > MAX_LINES) {
    return [...a.map((line) => `− ${line}`), ...b.map((line) => `+ ${line}`)].join('\n');
  }
  // common[i][j]: how many lines the rest of both has in common.
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) lines.push(`− ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines.join('\n');
}
