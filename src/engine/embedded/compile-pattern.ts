import { type Classes, type Node, PatternFault, readPattern } from './read-pattern.ts';

/**
 * Matches customers' patterns with a bounded cost. JavaScript's own matcher backtracks, and `(a+)+$` can block it for
 * hours. Each pattern becomes a small automaton whose states advance in parallel (Thompson 1968, as RE2 does). The time
 * never exceeds pattern × text. The only result is whether the pattern occurs, so the automaton needs no groups.
 * Compiling and matching both use up a budget, because a definition may have many patterns (docs/adr/0205).
 */

/** One pattern has at most this many instructions, including the expansion of `{m,n}`. */
const MAX_PROGRAM = 1_000;

/** All patterns of one definition together have this limit, for compiling and for each character of a message. */
const MAX_WORK = 10_000;
const MAX_CLASSES = 20_000;

/**
 * The budget that all patterns of a definition share. `work` counts the expanded parts, and `classes` is the cost of
 * character classes.
 */
export type Allowance = { work: number; classes: Classes };
export const newAllowance = (): Allowance => ({ work: MAX_WORK, classes: { left: MAX_CLASSES, known: new Map() } });

export type Budget = { steps: number };
/**
 * Returns true if the pattern occurs. The match reduces the budget by its cost. If the budget is empty, the match
 * returns false.
 */
export type Pattern = (characters: readonly string[], budget: Budget) => boolean;

/** Compiles a pattern, or throws a `PatternFault`. */
export const compilePattern = (source: string, allowance: Allowance): Pattern => {
  const program: Instruction[] = [];
  const output: Output = { program, allowance };
  emit(readPattern(source, allowance.classes), output);
  add(output, { op: 'match' });
  return (characters, budget) => run(program, characters, budget);
};

type Instruction =
  | { op: 'one'; fits: (character: string) => boolean }
  | { op: 'edge'; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'match' };

type Output = { program: Instruction[]; allowance: Allowance };

const add = ({ program }: Output, instruction: Instruction): number => {
  if (program.length >= MAX_PROGRAM) throw new PatternFault('The pattern is too large.');
  return program.push(instruction) - 1;
};

const emit = (node: Node, output: Output): void => {
  if (output.allowance.work-- <= 0) throw new PatternFault('The patterns of all rules are too large together.');
  if (node.kind === 'one') add(output, { op: 'one', fits: node.fits });
  else if (node.kind === 'edge') add(output, { op: 'edge', holds: node.holds });
  else if (node.kind === 'all') for (const part of node.parts) emit(part, output);
  else if (node.kind === 'any') emitAny(node.parts, output);
  else emitRepeat(node, output);
};

const emitAny = (parts: readonly Node[], output: Output): void => {
  const jumps: { op: 'jump'; to: number }[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      emit(part, output);
      break;
    }
    const split = { op: 'split' as const, first: output.program.length + 1, second: 0 };
    add(output, split);
    emit(part, output);
    const jump = { op: 'jump' as const, to: 0 };
    jumps.push(jump);
    add(output, jump);
    split.second = output.program.length;
  }
  for (const jump of jumps) jump.to = output.program.length;
};

const emitRepeat = (node: { part: Node; least: number; most: number }, output: Output): void => {
  for (let count = 0; count < node.least; count++) emit(node.part, output);
  if (node.most === Infinity) {
    const split = { op: 'split' as const, first: output.program.length + 1, second: 0 };
    const start = add(output, split);
    emit(node.part, output);
    add(output, { op: 'jump', to: start });
    split.second = output.program.length;
    return;
  }
  const splits: { op: 'split'; first: number; second: number }[] = [];
  for (let count = node.least; count < node.most; count++) {
    const split = { op: 'split' as const, first: output.program.length + 1, second: 0 };
    splits.push(split);
    add(output, split);
    emit(node.part, output);
  }
  for (const split of splits) split.second = output.program.length;
};

const run = (program: readonly Instruction[], characters: readonly string[], budget: Budget): boolean => {
  let states: number[] = [];
  const seenAt = new Int32Array(program.length).fill(-1);
  for (let at = 0; at <= characters.length; at++) {
    const before = characters[at - 1];
    const character = characters[at];
    const live: number[] = [];
    // The pattern may begin at any character, so the automaton adds instruction 0 at every character.
    const waiting = [0, ...states.toReversed()];
    while (waiting.length > 0) {
      const index = waiting.pop()!;
      if (seenAt[index] === at) continue;
      seenAt[index] = at;
      if (budget.steps-- <= 0) return false;
      const instruction = program[index]!;
      if (instruction.op === 'match') return true;
      if (instruction.op === 'one') live.push(index);
      else if (instruction.op === 'jump') waiting.push(instruction.to);
      else if (instruction.op === 'split') waiting.push(instruction.second, instruction.first);
      else if (instruction.holds(before, character)) waiting.push(index + 1);
    }
    if (character === undefined) return false;
    states = [];
    for (const index of live) {
      const instruction = program[index]!;
      if (instruction.op === 'one' && instruction.fits(character)) states.push(index + 1);
    }
  }
  return false;
};
