/**
 * Customers' patterns without customers' traps. JavaScript's own matcher backtracks, and `(a+)+$` can hold it for
 * hours; so patterns are read into a small automaton and all its states are walked side by side (Thompson 1968, as
 * RE2 does): time grows with pattern × text and never worse. Only "does it occur" is answered, which needs no groups.
 * What an automaton cannot do (lookaround, back-references) is refused when the agent is saved. One character at a
 * time, a class such as `[\p{L}_]` is still judged by the engine's own RegExp, which cannot backtrack on one character.
 */

/** Instructions of one pattern; `{m,n}` is written out, so this bounds it. */
const MAX_PROGRAM = 1_000;
const MAX_REPEAT = 100;
const MAX_GROUPS_DEEP = 20;

export type Budget = { steps: number };
/** True when the pattern occurs. Takes what it costs from the budget; an empty budget answers false. */
export type Pattern = (characters: readonly string[], budget: Budget) => boolean;

/** Compiles, or throws a `PatternFault` whose message is a sentence for the person who wrote the pattern. */
export const compilePattern = (source: string): Pattern => {
  const program = new Reader(source).program();
  return (characters, budget) => run(program, characters, budget);
};

/** Why a pattern is refused; null when it is fine. */
export const patternFault = (source: string): string | null => {
  try {
    compilePattern(source);
    return null;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
};

export class PatternFault extends Error {}

type Node =
  | { kind: 'one'; fits: (character: string) => boolean }
  | { kind: 'edge'; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { kind: 'all'; parts: Node[] }
  | { kind: 'any'; parts: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

type Instruction =
  | { op: 'one'; fits: (character: string) => boolean }
  | { op: 'edge'; holds: (before: string | undefined, after: string | undefined) => boolean }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'match' };

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

class Reader {
  private readonly source: string[];
  private at = 0;

  constructor(source: string) {
    this.source = Array.from(source);
  }

  program(): Instruction[] {
    const tree = this.alternatives(0);
    if (this.at < this.source.length) throw new PatternFault('The pattern closes a group that was never opened.');
    const program: Instruction[] = [];
    emit(tree, program);
    add(program, { op: 'match' });
    return program;
  }

  private alternatives(depth: number): Node {
    if (depth > MAX_GROUPS_DEEP) throw new PatternFault(`The pattern nests more than ${MAX_GROUPS_DEEP} groups.`);
    const parts = [this.sequence(depth)];
    while (this.source[this.at] === '|') {
      this.at++;
      parts.push(this.sequence(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind: 'any', parts };
  }

  private sequence(depth: number): Node {
    const parts: Node[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      parts.push(this.repeated(this.atom(depth)));
    }
    return { kind: 'all', parts };
  }

  private repeated(part: Node): Node {
    const rest = this.source.slice(this.at, this.at + 12).join('');
    const match = /^(?:[*+?]|\{(\d{1,4})(,?)(\d{0,4})\})\??/.exec(rest);
    if (match === null) return part;
    if (part.kind === 'edge') throw new PatternFault('The pattern repeats an anchor.');
    this.at += match[0].length;
    const sign = match[0][0];
    const least = sign === '{' ? Number(match[1]) : sign === '+' ? 1 : 0;
    const most = sign === '?' ? 1 : sign !== '{' ? Infinity : match[3] ? Number(match[3]) : match[2] ? Infinity : least;
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT)) {
      throw new PatternFault(`The pattern repeats something more than ${MAX_REPEAT} times.`);
    }
    if (most < least) throw new PatternFault('The pattern has a repeat whose end is before its beginning.');
    if (/^[*+?{]/.test(this.source[this.at] ?? '')) throw new PatternFault('The pattern repeats a repeat.');
    return { kind: 'repeat', part, least, most };
  }

  private atom(depth: number): Node {
    const character = this.source[this.at++]!;
    if (character === '(') return this.group(depth);
    if (character === '[') return this.characterClass();
    if (character === '\\') return this.escaped();
    if (character === '.') return { kind: 'one', fits: (one) => one !== '\n' };
    if (character === '^') return { kind: 'edge', holds: (before) => before === undefined };
    if (character === '$') return { kind: 'edge', holds: (_, after) => after === undefined };
    if (character === '*' || character === '+' || character === '?') {
      throw new PatternFault('The pattern repeats nothing.');
    }
    return literal(character);
  }

  private group(depth: number): Node {
    if (this.source[this.at] === '?') {
      const opening = /^\?(?::|<[A-Za-z_]\w{0,40}>)/.exec(this.source.slice(this.at, this.at + 44).join(''));
      if (opening === null)
        throw new PatternFault('The pattern uses lookaround or inline flags, which are not offered.');
      this.at += opening[0].length;
    }
    const inner = this.alternatives(depth + 1);
    if (this.source[this.at++] !== ')') throw new PatternFault('The pattern has a group that is never closed.');
    return inner;
  }

  private characterClass(): Node {
    const from = this.at - 1;
    if (this.source[this.at] === '^') this.at++;
    while (this.at < this.source.length && this.source[this.at] !== ']') {
      this.at += this.source[this.at] === '\\' ? 2 : 1;
    }
    if (this.at >= this.source.length) throw new PatternFault('The pattern has a [class] that is never closed.');
    return single(this.source.slice(from, ++this.at).join(''));
  }

  private escaped(): Node {
    const character = this.source[this.at++];
    if (character === undefined) throw new PatternFault('The pattern ends with a backslash.');
    if (character === 'b' || character === 'B') {
      const wanted = character === 'b';
      return { kind: 'edge', holds: (before, after) => (isWord(before) !== isWord(after)) === wanted };
    }
    if (/[1-9k]/.test(character)) throw new PatternFault('The pattern refers back to a group, which is not offered.');
    if (character === 'w') return { kind: 'one', fits: isWord };
    if (character === 'W') return { kind: 'one', fits: (one) => !isWord(one) };
    if (/[dDsSntrfv0]/.test(character)) return single(`\\${character}`);
    if (character === 'p' || character === 'P' || character === 'u' || character === 'x') {
      const rest = this.source.slice(this.at, this.at + 48).join('');
      const tail = /^(?:\{[^}]{1,44}\}|[0-9a-fA-F]{4}|[0-9a-fA-F]{2})/.exec(rest);
      if (tail === null) throw new PatternFault('The pattern has an escape that cannot be read.');
      this.at += tail[0].length;
      return single(`\\${character}${tail[0]}`);
    }
    if (/[A-Za-z]/.test(character)) throw new PatternFault('The pattern has an escape that cannot be read.');
    return literal(character);
  }
}

const literal = (character: string): Node => {
  const lower = character.toLowerCase();
  return { kind: 'one', fits: (one) => one === lower || one.toLowerCase() === lower };
};

const single = (source: string): Node => {
  let expression: RegExp;
  try {
    expression = new RegExp(`^${source}$`, 'iu');
  } catch {
    throw new PatternFault('The pattern has a [class] or an escape that cannot be read.');
  }
  return { kind: 'one', fits: (one) => expression.test(one) };
};

const add = (program: Instruction[], instruction: Instruction): number => {
  if (program.length >= MAX_PROGRAM) throw new PatternFault('The pattern is too large.');
  return program.push(instruction) - 1;
};

const emit = (node: Node, program: Instruction[]): void => {
  if (node.kind === 'one') add(program, { op: 'one', fits: node.fits });
  else if (node.kind === 'edge') add(program, { op: 'edge', holds: node.holds });
  else if (node.kind === 'all') for (const part of node.parts) emit(part, program);
  else if (node.kind === 'any') emitAny(node.parts, program);
  else emitRepeat(node, program);
};

const emitAny = (parts: readonly Node[], program: Instruction[]): void => {
  const jumps: { op: 'jump'; to: number }[] = [];
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      emit(part, program);
      break;
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    add(program, split);
    emit(part, program);
    const jump = { op: 'jump' as const, to: 0 };
    jumps.push(jump);
    add(program, jump);
    split.second = program.length;
  }
  for (const jump of jumps) jump.to = program.length;
};

const emitRepeat = (node: { part: Node; least: number; most: number }, program: Instruction[]): void => {
  for (let count = 0; count < node.least; count++) emit(node.part, program);
  if (node.most === Infinity) {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    const start = add(program, split);
    emit(node.part, program);
    add(program, { op: 'jump', to: start });
    split.second = program.length;
    return;
  }
  const splits: { op: 'split'; first: number; second: number }[] = [];
  for (let count = node.least; count < node.most; count++) {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    splits.push(split);
    add(program, split);
    emit(node.part, program);
  }
  for (const split of splits) split.second = program.length;
};

const run = (program: readonly Instruction[], characters: readonly string[], budget: Budget): boolean => {
  let states: number[] = [];
  const seenAt = new Int32Array(program.length).fill(-1);
  for (let at = 0; at <= characters.length; at++) {
    const before = characters[at - 1];
    const character = characters[at];
    const live: number[] = [];
    // The pattern may begin anywhere, so instruction 0 joins at every character.
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
