import { expect, test } from 'vitest';
import { embed } from '../../../test/fakes/embeddings.ts';
import { KnowledgeIndex } from './build-knowledge.ts';
import { fuseRanks } from './fuse-ranks.ts';
import { splitDocument } from '../../../test/build-knowledge.ts';
import { runToEnd } from './pausable-work.ts';
import { textToEmbed, vectorKeys } from './vector-key.ts';
import { quantize, VectorTable } from './vector-table.ts';

test('one byte per dimension keeps the order of the cosines', () => {
  const texts = ['refund within a week', 'dogs and cats', 'money back', 'closed on friday', 'parcel'];
  const table = new VectorTable(texts.length + 1, 64);
  for (const [at, text] of texts.entries()) table.set(at, quantize(embed(text, 64)));
  const near = runToEnd(table.search(quantize(embed('reimbursed', 64))));
  const order = texts.map((_, at) => at).toSorted((a, b) => near[b]! - near[a]!);
  expect(new Set(order.slice(0, 2))).toEqual(new Set([0, 2]));
  expect(near[texts.length]).toBeNaN();
  expect(table.share).toBeCloseTo(5 / 6);
});

test('a vector without direction or with another size is ignored', () => {
  const table = new VectorTable(2, 4);
  table.set(0, Int8Array.from([0, 0, 0, 0]));
  table.set(1, Int8Array.from([1, 2, 3]));
  expect(table.share).toBe(0);
});

test('a passage at the top of only one ranking is near the top, and a missing vector is no disadvantage', () => {
  const words = Float64Array.from([0.9, 0.8, 0.1, 0]);
  const meaning = Float32Array.from([0.1, Number.NaN, 0.2, 0.9]);
  const fused = runToEnd(fuseRanks(words, meaning));
  expect(fused[1]!).toBeCloseTo(2 / 6);
  expect(fused[3]!).toBeCloseTo(1 / 5);
  expect(fused[0]!).toBeGreaterThan(fused[3]!);
});

test('the passage with the closest meaning is among the best six, even if others contain words of the question', () => {
  const words = Float64Array.from({ length: 100 }, (_, at) => (at === 99 ? 0 : 1 - at / 100));
  const meaning = Float32Array.from({ length: 100 }, (_, at) => (at === 99 ? 0.9 : 0.8 - at / 200));
  const fused = runToEnd(fuseRanks(words, meaning));
  expect(fused.filter((score) => score > fused[99]!)).toHaveLength(5);
});

test('the same text has the same key in every document, and a different key for another model or server', () => {
  const space = { provider: 'openai', baseUrl: null, model: 'small' };
  const [one] = splitDocument({ id: 'a', name: 'A', text: '# Hours\n\nFriday: closed.' });
  const [two] = splitDocument({ id: 'b', name: 'B', text: '# Hours\n\nFriday: closed.' });
  const key = vectorKeys(space)(textToEmbed(one!));
  expect(vectorKeys(space)(textToEmbed(two!))).toBe(key);
  expect(key).toHaveLength(32);
  for (const other of [{ model: 'large' }, { provider: 'google' }, { baseUrl: 'https://x.example' }])
    expect(vectorKeys({ ...space, ...other })(textToEmbed(one!))).not.toBe(key);
});

test('a paraphrase without a common word is found by meaning and not by words', () => {
  const index = new KnowledgeIndex();
  const text = [
    'The receipt shows the sum.',
    'A porthole stays locked in storms.',
    ...Array.from({ length: 40 }, (_, at) => `Room ${at} has a window to the garden and a desk.`),
  ];
  for (const passage of splitDocument({ id: 'd', name: 'Guide', text: text.join('\n\n') })) index.add(passage);
  runToEnd(index.close());
  const vectors = new VectorTable(index.size, 64);
  const places = runToEnd(index.placesByKey((one) => one));
  for (const [one, at] of places) for (const place of at) vectors.set(place, quantize(embed(one, 64)));
  const question = 'Why is my aperture odd?';
  const found = (gathered: { findings: { passage: { text: string } }[] }): boolean =>
    gathered.findings.some(({ passage }) => passage.text.includes('porthole'));
  const tokens = 150;
  expect(found(runToEnd(index.gather(question, '', tokens)))).toBe(false);
  const vector = quantize(embed(question, 64));
  const meant = runToEnd(index.gatherByMeaning(question, '', tokens, { vector, vectors }));
  expect(meant.meaning).toBe('used');
  expect(found(meant)).toBe(true);
});
