/**
 * Parses a customer's pattern into a tree. The parser refuses features that an automaton cannot support (lookaround,
 * back-references). The parser leaves out parts that match only the empty string, such as `(){100}`. Without such
 * parts, every part of the tree becomes at least one instruction, so the limit on instructions also limits the work. A
 * class such as `[\\p{L}_]` uses JavaScript's own RegExp for one character at a time, where it cannot backtrack. The
 * creation of such a RegExp takes the most time, so it is limited too.
 */

const MAX_SOURCE = 500;
const MAX_REPEAT = 100;
const MAX_GROUPS_DEEP = 20;
/** Preparing a Unicode property takes as much time as a class of this many characters. */
const PROPERTY_COST = 500;

/** The budget for the character classes of one definition. A class that occurs in several patterns counts only once. */
export type Classes = { left: number; known: Map<string, RegExp> };

export type Node =
  | { kind: 'one'; fits: (character: string) => boolean }
  | { kind: 'edge'; holds: (before: string | undefined, after: string | undefined) => boolean }
  /** The list is empty or has at least two parts, because a single part is not wrapped. */
  | { kind: 'all'; parts: Node[] }
  | { kind: 'any'; parts: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

/** The message of the fault is a sentence for the author of the pattern. */
export class PatternFault extends Error {}

export const readPattern = (source: string, classes: Classes): Node => {
  if (source.length > MAX_SOURCE) throw new PatternFault(`The pattern has more than ${MAX_SOURCE} characters.`);
  return new Reader(source, classes).tree();
};

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{M}\p{N}_]/u.test(character);

class Reader {
  private readonly source: string[];
  private readonly classes: Classes;
  private at = 0;

  constructor(source: string, classes: Classes) {
    this.source = Array.from(source);
    this.classes = classes;
  }

  tree(): Node {
    const tree = this.alternatives(0);
    if (this.at < this.source.length) throw new PatternFault('The pattern closes a group that was never opened.');
    return tree;
  }

  private alternatives(depth: number): Node {
    if (depth > MAX_GROUPS_DEEP) throw new PatternFault(`The pattern nests more than ${MAX_GROUPS_DEEP} groups.`);
    const parts = [this.sequence(depth)];
    while (this.source[this.at] === '|') {
      this.at++;
      parts.push(this.sequence(depth));
    }
    if (parts.every(isEmpty)) return NOTHING;
    return parts.length === 1 ? parts[0]! : { kind: 'any', parts };
  }

  private sequence(depth: number): Node {
    const parts: Node[] = [];
    while (this.at < this.source.length && this.source[this.at] !== '|' && this.source[this.at] !== ')') {
      const isGroup = this.source[this.at] === '(';
      const part = this.repeated(this.atom(depth), isGroup);
      if (!isEmpty(part)) parts.push(part);
    }
    return parts.length === 1 ? parts[0]! : { kind: 'all', parts };
  }

  private repeated(part: Node, isGroup: boolean): Node {
    const rest = this.source.slice(this.at, this.at + 12).join('');
    const match = /^(?:[*+?]|\{(\d{1,4})(,?)(\d{0,4})\})\??/.exec(rest);
    if (match === null) return part;
    if (part.kind === 'edge' && !isGroup) throw new PatternFault('The pattern repeats an anchor.');
    this.at += match[0].length;
    const sign = match[0][0];
    const least = sign === '{' ? Number(match[1]) : sign === '+' ? 1 : 0;
    const most = sign === '?' ? 1 : sign !== '{' ? Infinity : match[3] ? Number(match[3]) : match[2] ? Infinity : least;
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT)) {
      throw new PatternFault(`The pattern repeats something more than ${MAX_REPEAT} times.`);
    }
    if (most < least) throw new PatternFault('The pattern has a repeat whose maximum is less than its minimum.');
    if (/^[*+?{]/.test(this.source[this.at] ?? '')) throw new PatternFault('The pattern repeats a repeat.');
    if (most === 0 || isEmpty(part)) return NOTHING;
    return least === 1 && most === 1 ? part : { kind: 'repeat', part, least, most };
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
        throw new PatternFault('The pattern uses lookaround or inline flags, which are not supported.');
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
    return this.single(this.source.slice(from, ++this.at).join(''));
  }

  private escaped(): Node {
    const character = this.source[this.at++];
    if (character === undefined) throw new PatternFault('The pattern ends with a backslash.');
    if (character === 'b' || character === 'B') {
      const wanted = character === 'b';
      return { kind: 'edge', holds: (before, after) => (isWord(before) !== isWord(after)) === wanted };
    }
    if (/[1-9k]/.test(character)) throw new PatternFault('The pattern uses a backreference, which is not supported.');
    if (character === 'w') return { kind: 'one', fits: isWord };
    if (character === 'W') return { kind: 'one', fits: (one) => !isWord(one) };
    if (/[dDsSntrfv0]/.test(character)) return this.single(`\\${character}`);
    if (character === 'p' || character === 'P' || character === 'u' || character === 'x') {
      const rest = this.source.slice(this.at, this.at + 48).join('');
      const tail = /^(?:\{[^}]{1,44}\}|[0-9a-fA-F]{4}|[0-9a-fA-F]{2})/.exec(rest);
      if (tail === null) throw new PatternFault('The pattern has an escape that cannot be read.');
      this.at += tail[0].length;
      return this.single(`\\${character}${tail[0]}`);
    }
    if (/[A-Za-z]/.test(character)) throw new PatternFault('The pattern has an escape that cannot be read.');
    return literal(character);
  }

  private single(source: string): Node {
    const expression = this.classes.known.get(source) ?? this.expression(source);
    return { kind: 'one', fits: (one) => expression.test(one) };
  }

  private expression(source: string): RegExp {
    const properties = source.match(/\\p/gi)?.length ?? 0;
    this.classes.left -= source.length + properties * PROPERTY_COST;
    if (this.classes.left < 0) throw new PatternFault('The patterns of all rules have too many [classes] together.');
    try {
      const expression = new RegExp(`^${source}$`, 'iu');
      this.classes.known.set(source, expression);
      return expression;
    } catch {
      throw new PatternFault('The pattern has a [class] or an escape that cannot be read.');
    }
  }
}

const NOTHING: Node = { kind: 'all', parts: [] };
const isEmpty = (node: Node): boolean => node.kind === 'all' && node.parts.length === 0;

const literal = (character: string): Node => {
  const lower = character.toLowerCase();
  return { kind: 'one', fits: (one) => one === lower || one.toLowerCase() === lower };
};
