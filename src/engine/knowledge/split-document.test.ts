import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/cpu-time.ts';
import { MAX_PASSAGE_CHARACTERS } from './split-document.ts';
import { splitDocument } from '../../../test/build-knowledge.ts';

const split = (text: string): string[] =>
  splitDocument({ id: 'doc_1', name: 'Guide', text }).map(
    ({ heading, text: passage }) => `${heading ?? '-'} | ${passage}`,
  );

describe('splitting', () => {
  it('each paragraph gets its headings', () => {
    expect(split('Before.\n\n# Shop\n\nHello\nthere.\n\n## Hours #\n\nNine to five.\n\n# Other\n\nEnd.')).toEqual([
      '- | Before.',
      'Shop | Hello there.',
      'Shop › Hours | Nine to five.',
      'Other | End.',
    ]);
  });

  it('each list item gets the sentence that introduces the list', () => {
    expect(split('# Pay\n\nWe accept:\n\n- Visa\n- cash\n  on delivery\n\n١. نقدا')).toEqual([
      'Pay › We accept | Visa',
      'Pay › We accept | cash on delivery',
      'Pay › We accept | نقدا',
    ]);
  });

  it('the text of a list item becomes a heading of its sub-items', () => {
    expect(split('- Rooms\n  - Single: 300\n  - Double: 450\n- Pool')).toEqual([
      '- | Rooms',
      'Rooms | Single: 300',
      'Rooms | Double: 450',
      '- | Pool',
    ]);
  });

  it('each table row gets its column names', () => {
    expect(split('# Fees\n\n| Service | Fee |\n|---|:--:|\n| Dentist | QAR 300 |\n| **X-ray** | |\n\nAfter.')).toEqual([
      'Fees | Service: Dentist; Fee: QAR 300',
      'Fees | Service: X-ray',
      'Fees | After.',
    ]);
  });

  it('questions and answers, bold headings and underlined headings are recognized', () => {
    expect(split('Q: Is there parking?\nA: Yes, 20 places.\n\nس: هل يوجد مسبح؟\nج: نعم.')).toEqual([
      'Is there parking? | Yes, 20 places.',
      'هل يوجد مسبح؟ | نعم.',
    ]);
    expect(split('# A\n\n**Returns:**\n\n14 days.')).toEqual(['A › Returns | 14 days.']);
    expect(split('Shop\n====\n\nText.\n\nHours\n---\n\nNine.')).toEqual(['Shop | Text.', 'Shop › Hours | Nine.']);
  });

  it('headings are guessed only in plain text, and a sentence that looks like a heading stays in the text', () => {
    expect(
      split('Opening hours\n\nDaily from 6 to 11.\n\nPrices\nDay pass QAR 50\nMonth QAR 300\n\nFree coffee'),
    ).toEqual([
      'Opening hours | Daily from 6 to 11.',
      'Prices | Day pass QAR 50',
      'Prices | Month QAR 300',
      '- | Free coffee',
    ]);
    expect(split('# Real\n\nShort line')).toEqual(['Real | Short line']);
  });

  it('quotes have no Markdown', () => {
    expect(split('See **our** [shop](https://x.example/a_b) and `code`, _soon_, snake_case_name.')).toEqual([
      '- | See our shop and code, soon, snake_case_name.',
    ]);
  });

  it('a block of code loses its empty lines', () => {
    expect(split('```\n\n\na\n\n\nb\n\n```\n\n```\n\n\n```')).toEqual(['- | a b']);
  });

  it('a long paragraph is cut at the ends of sentences without loss', () => {
    const sentence = 'This is a sentence of some length that says little. ';
    const passages = splitDocument({ id: 'd', name: 'd', text: sentence.repeat(60) });
    expect(passages.every(({ text }) => text.length <= MAX_PASSAGE_CHARACTERS && text.endsWith('.'))).toBe(true);
    expect(passages.map(({ text }) => text).join(' ')).toBe(sentence.repeat(60).trim());
    const endless = splitDocument({ id: 'd', name: 'd', text: 'x'.repeat(5_000) });
    expect(endless.map(({ text }) => text).join('')).toBe('x'.repeat(5_000));
  });

  it('hostile text is read in bounded time', () => {
    const texts = [
      '*'.repeat(100_000),
      '| '.repeat(100_000),
      '['.repeat(100_000),
      '**a '.repeat(30_000),
      '- '.repeat(100_000),
      '_a'.repeat(50_000),
      `# a${' '.repeat(1_990)}b`,
    ];
    expect(cpuMs(() => texts.forEach((text) => split(text)))).toBeLessThan(3_000);
  });
});
