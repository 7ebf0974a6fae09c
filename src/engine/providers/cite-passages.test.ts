import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import { cpuMs } from '../../../test/cpu-time.ts';
import type { Passage } from '../provider.ts';
import { citePassages } from './cite-passages.ts';

const passages: Passage[] = ['one', 'two', 'three'].map((text) => ({
  document_id: text,
  document: text.toUpperCase(),
  section: null,
  heading: null,
  text,
}));
const cited = (text: string) => {
  const result = citePassages(text, passages);
  return [result.text, result.sources.map((source) => source.quote)];
};

describe('citations of a model', () => {
  it.each([
    ['We open at nine [1].', 'We open at nine.', ['one']],
    ['Nine [3] or ten [1], they say [3].', 'Nine or ten, they say.', ['three', 'one']],
    ['Nine [1][2].', 'Nine.', ['one', 'two']],
    ['Nine [1, 2].', 'Nine.', ['one', 'two']],
    ['Nine【2】', 'Nine', ['two']],
    ['نفتح في التاسعة [٢].', 'نفتح في التاسعة.', ['two']],
    ['نفتح [١، ٣]', 'نفتح', ['one', 'three']],
    ['हम नौ बजे [२]', 'हम नौ बजे', ['two']],
    ['First line [1]\nSecond line [2]', 'First line\nSecond line', ['one', 'two']],
  ])('%s', (text, plain, quotes) => expect(cited(text)).toEqual([plain, quotes]));

  it.each([
    ['no passage has the number', 'In [2024] we moved [4].'],
    ['it is a link', 'See [1](https://shop.test).'],
    ['it is not a number', 'Press [Enter].'],
    ['one of them is unknown', 'Nine [1, 9].'],
    ['it is zero', 'x[0]'],
  ])('brackets stay if %s', (_why, text) => expect(cited(text)).toEqual([text, []]));

  it('all brackets stay if there are no passages', () => {
    expect(citePassages('Nine [1].', [])).toEqual({ text: 'Nine [1].', sources: [] });
  });

  it.each([
    ['spaces', ' '],
    ['spaces of other kinds', '\t\u00a0'],
    ['brackets', '[['],
    ['numbers', '[1,1'],
    ['markers', ' [1]'],
  ])('an answer that is long because of its %s takes little time', (_what, piece) => {
    const text = `a${piece.repeat(MAX_MESSAGE_CHARACTERS)}`;
    expect(cpuMs(() => citePassages(text, passages))).toBeLessThan(200);
  });
});
