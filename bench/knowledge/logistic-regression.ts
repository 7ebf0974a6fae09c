import { logistic } from '../../src/engine/knowledge/decide-answer.ts';

type Example = { features: number[]; isTrue: boolean; weight: number };

const ROUNDS = 12;
const PENALTY = 0.5;

/**
 * Solves a logistic regression with a penalty on large weights by Newton's method. The solver gives the same weights on
 * each machine.
 */
export function fit(examples: readonly Example[]): number[] {
  const size = examples[0]!.features.length;
  const weights: number[] = Array.from({ length: size }, () => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -PENALTY * weight));
    const hessian = weights.map((_, row) => weights.map((_, column) => (row === column ? PENALTY + 1e-6 : 0)));
    for (const { features, isTrue, weight } of examples) {
      const chance = logistic(weights, features);
      const spread = weight * chance * (1 - chance);
      for (let row = 0; row < size; row++) {
        gradient[row]! += weight * (Number(isTrue) - chance) * features[row]!;
        for (let column = 0; column < size; column++)
          hessian[row]![column]! += spread * features[row]! * features[column]!;
      }
    }
    const step = solve(hessian, gradient);
    for (let at = 0; at < size; at++) weights[at]! += step[at]!;
  }
  return weights;
}

/** Solves linear equations by Gaussian elimination with the largest pivot. */
function solve(matrix: number[][], right: number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  const size = right.length;
  for (let at = 0; at < size; at++) {
    let pivot = at;
    for (let row = at + 1; row < size; row++) if (Math.abs(rows[row]![at]!) > Math.abs(rows[pivot]![at]!)) pivot = row;
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let row = 0; row < size; row++) {
      if (row === at) continue;
      const share = rows[row]![at]! / rows[at]![at]!;
      for (let column = at; column <= size; column++) rows[row]![column]! -= share * rows[at]![column]!;
    }
  }
  return rows.map((row, at) => row[size]! / row[at]!);
}
