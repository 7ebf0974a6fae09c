import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/cpu-time.ts';
import { compilePattern, patternFault } from './compile-pattern.ts';

const test = (source: string, text: string, steps = 1_000_000): boolean =>
  compilePattern(source)(Array.from(text), { steps });

describe('matching', () => {
  it('agrees with the engine of the language on everything it offers', () => {
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

  it('reads letters of every script', () => {
    expect(test('طلب\\s+رقم\\s+\\d+', 'أين طلب رقم 44؟')).toBe(true);
    expect(test('^[\\p{Script=Devanagari} ]+$', 'नमस्ते जी')).toBe(true);
    expect(test('\\bREFUND(s|ed)?\\b', 'was it refunded?')).toBe(true);
  });
});

describe('safety', () => {
  it('answers patterns that hang a backtracking engine, within its budget', () => {
    const took = cpuMs(() => {
      for (const trap of ['(a+)+$', '(a|a)*c$', '(.*a){20}$', '([a-z]+)*\\d', '(a|aa)+$', '(x+x+)+y']) {
        expect(test(trap, `${'a'.repeat(4_000)}${'x'.repeat(50)}!`, 200_000)).toBe(false);
      }
    });
    expect(took).toBeLessThan(2_000);
  });

  it('refuses what it does not offer, each with a sentence', () => {
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
    ]) {
      expect(patternFault(bad)).toMatch(/^The pattern .*\.$/);
    }
    expect(patternFault('((((a{99}){99}){99}))')).toMatch(/too large/);
    expect(patternFault('(order|طلب) #?\\d{4,8}')).toBeNull();
  });
});
