import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/cpu-time.ts';
import { compilePattern, newAllowance } from './compile-pattern.ts';
import { PatternFault } from './read-pattern.ts';

const test = (source: string, text: string, steps = 1_000_000): boolean =>
  compilePattern(source, newAllowance())(Array.from(text), { steps });

const patternFault = (source: string): string | null => {
  try {
    compilePattern(source, newAllowance());
    return null;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
};

/** Patterns of every shape: empty, optional, zero-width, repeated and nested parts. */
const anyPattern = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom('', 'a', 'b', '.', '[ab]', '[^a]', '\\d', '(^)', '($)', '(\\b)', '(\\B)', '()', '(a|)', '(?:|b)'),
    fc
      .tuple(tie('source'), fc.constantFrom('', '*', '+', '?', '{0}', '{1}', '{2}', '{0,2}', '{1,3}', '{2,}', '*?'))
      .map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie('source'), tie('source')).map((parts) => parts.join('')),
    fc.tuple(tie('source'), tie('source')).map((parts) => `(?:${parts.join('|')})`),
  ),
})).source;
const anyText = fc.array(fc.constantFrom('a', 'b', 'A', '1', ' ', '\n'), { maxLength: 8 }).map((list) => list.join(''));

describe('matching', () => {
  it('matching has the same result as JavaScript’s engine for all supported syntax', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\s', '(?:a|b)', '(ab|c)', '(a|)');
    const repeat = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?');
    const part = fc.tuple(atom, repeat).map(([one, times]) => one + times);
    const edges = fc.constantFrom('', '^', '\\b');
    const source = fc
      .tuple(edges, fc.array(part, { minLength: 1, maxLength: 5 }), fc.constantFrom('', '$', '|ba', '\\B'))
      .map(([start, parts, end]) => start + parts.join('') + end);
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'A', '1', ' '), { maxLength: 12 })
      .map((list) => list.join(''));
    const agree = fc.property(source, text, (pattern, subject) => {
      expect(test(pattern, subject)).toBe(new RegExp(pattern, 'iu').test(subject));
    });
    expect(() => fc.assert(agree, { numRuns: 3_000 })).not.toThrow();
  });

  it('matching has the same result for parts that are empty, optional, zero-width and nested', () => {
    const agree = fc.property(anyPattern, anyText, (pattern, subject) => {
      expect(test(pattern, subject)).toBe(new RegExp(pattern, 'iu').test(subject));
    });
    expect(() => fc.assert(agree, { numRuns: 3_000 })).not.toThrow();
  });

  it('a pattern matches letters of every script', () => {
    expect(test('طلب\\s+رقم\\s+\\d+', 'أين طلب رقم 44؟')).toBe(true);
    expect(test('^[\\p{Script=Devanagari} ]+$', 'नमस्ते जी')).toBe(true);
    expect(test('\\bREFUND(s|ed)?\\b', 'was it refunded?')).toBe(true);
  });
});

describe('the work of compiling', () => {
  /** What the pattern takes from a definition's budget; a refused pattern costs, too. */
  const workOf = (source: string): number => {
    const allowance = newAllowance();
    const before = allowance.work;
    try {
      compilePattern(source, allowance);
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
    }
    return before - allowance.work;
  };

  it.each([
    ['nothing', '()'],
    ['a part repeated no times', '(a{0})'],
    ['an alternative without parts', '(|||)'],
    ['empty groups', '(()()())'],
  ])('compiling %s costs nothing, even if it is repeated many times', (_what, part) => {
    const nested = `${'('.repeat(6)}${part}${'{100})'.repeat(6)}{100}`;
    expect(workOf(nested)).toBeLessThan(10);
    expect(test(`${nested}x`, 'x')).toBe(true);
  });

  it('compiling a pattern costs a limited amount of work, however often its parts are repeated', () => {
    const repeated = fc
      .tuple(anyPattern, fc.array(fc.constantFrom('{100}', '{0,100}', '{50,}', '+', '?'), { maxLength: 8 }))
      .map(([source, times]) => times.reduce((inner, one) => `(?:${inner})${one}`, source));
    const bounded = fc.property(repeated, (source) => {
      expect(workOf(source)).toBeLessThan(4_000);
    });
    expect(() => fc.assert(bounded, { numRuns: 2_000 })).not.toThrow();
  });

  it('the cost is limited for all patterns of a definition together', () => {
    const allowance = newAllowance();
    const compiled = Array.from({ length: 200 }, () => {
      try {
        return compilePattern('(a?a?){40}b', allowance) !== null;
      } catch (error) {
        return !(error instanceof PatternFault);
      }
    });
    expect(compiled.filter(Boolean).length).toBeGreaterThan(10);
    expect(compiled.filter(Boolean).length).toBeLessThan(100);
  });

  it('a repeated character class costs its preparation only once', () => {
    expect(patternFault(`[${'\\p{Ll}'.repeat(60)}]`)).toMatch(/too many \[classes\]/);
    const allowance = newAllowance();
    for (let index = 0; index < 200; index++) compilePattern('[\\p{L} ]+[^\\p{N}]', allowance);
    expect(() => {
      for (let index = 0; index < 200; index++)
        compilePattern(`[\\p{L}${String.fromCodePoint(0x4e00 + index)}]`, allowance);
    }).toThrow(PatternFault);
  });
});

describe('safety', () => {
  it('patterns that hang a backtracking engine are matched within their budget', () => {
    const took = cpuMs(() => {
      for (const trap of ['(a+)+$', '(a|a)*c$', '(.*a){20}$', '([a-z]+)*\\d', '(a|aa)+$', '(x+x+)+y']) {
        expect(test(trap, `${'a'.repeat(4_000)}${'x'.repeat(50)}!`, 200_000)).toBe(false);
      }
    });
    expect(took).toBeLessThan(2_000);
  });

  it('unsupported syntax is refused with an explanation for each kind', () => {
    for (const bad of [
      '(?=a)',
      '(?<!a)b',
      '(a)\\1',
      '\\k<n>',
      '(a',
      'a)',
      '[a',
      '*a',
      'a{1000}',
      'a**',
      '\\',
      '(?i)a',
      'a{3,1}',
      '^*',
      '\\b?',
      'a'.repeat(501),
    ]) {
      expect(patternFault(bad)).toMatch(/^The pattern .*\.$/);
    }
    expect(patternFault('((((a{99}){99}){99}))')).toMatch(/too large/);
    expect(patternFault('(order|طلب) #?\\d{4,8}')).toBeNull();
  });
});
