import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../test/cpu-time.ts';
import { parseStrictJson } from './strict-json.ts';

const parse = (text: string, maxKeys = 1_000) => parseStrictJson(text, maxKeys);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));

describe('strict JSON', () => {
  it('the parser reads the same values as JSON.parse, with any content of strings', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '[', ':', '}', ']', '\n', 'é', '😀') });
    const plain = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.boolean(),
        fc.integer(),
        fc.constant(null),
        text,
        tie('list'),
        tie('record'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      record: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    })).value;
    fc.assert(
      fc.property(plain, (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        expect(parse(JSON.stringify(value))).toEqual({ value: JSON.parse(JSON.stringify(value)) });
      }),
      { numRuns: 300 },
    );
  });

  it('a 33rd level of objects or lists is refused before any object is created', () => {
    expect(parse(nested(32))).toHaveProperty('value');
    expect(parse(nested(33))).toEqual({ fault: 'The body is nested more than 32 levels deep.' });
    expect(parse('{"a":'.repeat(33) + '1' + '}'.repeat(33))).toEqual({
      fault: 'The body is nested more than 32 levels deep.',
    });
    expect(parse('['.repeat(250_000))).toHaveProperty('fault');
  });

  it('a 1,001st key in the whole body is refused', () => {
    expect(parse(keys(1_000))).toHaveProperty('value');
    expect(parse(keys(1_001))).toEqual({ fault: 'The body has more than 1,000 keys.' });
    expect(parse(`[${keys(600)},${keys(401)}]`)).toEqual({ fault: 'The body has more than 1,000 keys.' });
    expect(parse(`[${keys(600)},${keys(401)}]`, 2_000)).toHaveProperty('value');
  });

  it('too many values are refused before any of them is created', () => {
    const list = (count: number): string => `[${'[],'.repeat(count - 1)}[]]`;
    expect(parse(list(131_072))).toHaveProperty('value');
    expect(parse(list(131_073))).toEqual({ fault: 'The body has more than 131,072 values.' });
    const commas = JSON.stringify([','.repeat(200_000)]);
    expect(parse(commas)).toHaveProperty('value');
    expect(cpuMs(() => void parse(list(2_000_000)))).toBeLessThan(300);
  });

  it.each([['{"a":1,"a":1}'], ['{"a":1,"\\u0061":2}'], ['{"x":[{"b":{},"b":{}}]}']])(
    'a duplicate key is refused: %s',
    (text) => {
      expect(parse(text)).toEqual({ fault: 'The body has the same key twice in one object.' });
    },
  );

  it.each(['{"a":"\\u0000"}', '{"\\u0000":1}', '["x",["\\u0000"]]'])('a NUL character is refused: %s', (text) => {
    expect(parse(text)).toEqual({ fault: 'The body contains a NUL character.' });
  });

  it.each(['{"a":"\\ud800"}', '{"\\udc00":1}', '["\\udc00\\ud800"]', '"\\uD83D!"'])(
    'half a surrogate pair is refused: %s',
    (text) => {
      expect(parse(text)).toEqual({ fault: 'The body contains a lone surrogate.' });
    },
  );

  it('whole surrogate pairs, and escaped backslashes before a u, are accepted', () => {
    expect(parse('"\\ud83d\\ude00"')).toEqual({ value: '😀' });
    expect(parse('"\\\\u0000 \\\\ud800"')).toEqual({ value: '\\u0000 \\ud800' });
  });

  it('a number that would become infinite is refused', () => {
    expect(parse('{"a":1e999}')).toEqual({ fault: 'The body contains a number that is too large.' });
  });

  it.each(['{"order":9007199254740993}', '[-9007199254740993]', '123456789012345678901234567890'])(
    'a whole number that would lose digits is refused: %s',
    (text) => {
      expect(parse(text)).toEqual({ fault: 'The body contains a whole number beyond 2^53 - 1: send it as text.' });
    },
  );

  it('whole numbers up to 2^53 - 1 and fractions are accepted', () => {
    expect(parse('[9007199254740991,-9007199254740991,0.1,1.5e3]')).toEqual({
      value: [9007199254740991, -9007199254740991, 0.1, 1500],
    });
  });

  it('a key that would replace a prototype is refused', () => {
    expect(parse('{"a":{"__proto__":{"admin":true}}}')).toEqual({ fault: 'The body has a key named __proto__.' });
    expect(parse('{"\\u005f_proto__":1}')).toEqual({ fault: 'The body has a key named __proto__.' });
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":1}x',
    "{'a':1}",
    '{"a":1,}',
    '// a\n{}',
    'NaN',
    '{"a":"\t"}',
    '"',
    '"\\"',
    '{"a" "b":1}',
    '[1 2]',
    '}{',
  ])('invalid JSON is refused: %j', (text) => {
    expect(parse(text)).toEqual({ fault: 'The body is not JSON.' });
  });
});
