/** How cells are divided between the nodes of a cluster. The choice of moves has no side effects. */
export type PlacedCell = { cell: string; node: string; bytes: number };
export type CellMove = { cell: string; to: string };

/** Each cell has at least this load, whatever its size, so each node gets about the same number of small cells. */
const EACH = 64 * 1024 * 1024;
/** A move copies every row of a cell, so it must lower the load of a node by this part of the average. */
const WORTH = 0.1;

/**
 * The ordered list of moves after which the nodes have about the same load. `nodes`: the nodes that may have cells.
 * Cells on other nodes are moved away. A cell moves only if the move clearly lowers the higher load of the two nodes.
 */
export function chooseMoves(cells: readonly PlacedCell[], nodes: readonly string[]): CellMove[] {
  if (nodes.length === 0) return [];
  const placed = cells.map((cell) => ({ ...cell, load: cell.bytes + EACH }));
  const loadOf = (node: string): number =>
    placed.filter((one) => one.node === node).reduce((sum, { load }) => sum + load, 0);
  const average = placed.reduce((sum, { load }) => sum + load, 0) / nodes.length;
  const moves: CellMove[] = [];
  const move = (one: (typeof placed)[number], to: string): void => {
    one.node = to;
    moves.push({ cell: one.cell, to });
  };
  for (const one of placed.toSorted((a, b) => b.load - a.load))
    if (!nodes.includes(one.node)) move(one, byLoad(nodes, loadOf)[0]!);
  for (;;) {
    const order = byLoad(nodes, loadOf);
    const [lightest, heaviest] = [order[0]!, order.at(-1)!];
    const difference = loadOf(heaviest) - loadOf(lightest);
    const [best] = placed
      .filter(({ node, load }) => node === heaviest && Math.min(load, difference - load) > average * WORTH)
      .toSorted((a, b) => Math.abs(difference / 2 - a.load) - Math.abs(difference / 2 - b.load) || a.load - b.load);
    if (best === undefined) return moves;
    move(best, lightest);
  }
}

const byLoad = (nodes: readonly string[], loadOf: (node: string) => number): string[] =>
  nodes.toSorted((a, b) => loadOf(a) - loadOf(b));
