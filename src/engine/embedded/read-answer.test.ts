import { describe, expect, it } from 'vitest';
import type { Step } from '../../../contract/agents.ts';
import { readWords } from '../read-words.ts';
import { readAnswer, type SlotValue } from './read-answer.ts';

const now = new Date('2026-11-21T22:30:00Z'); // a Saturday
const read = (
  type: Step['type'],
  text: string,
  more: { country?: string; timeZone?: string; monthFirst?: boolean } = {},
): SlotValue | null => {
  const step: Step = { name: 'slot', type, ask: {} };
  const context = { now, timeZone: null, country: null, language: null, monthFirst: false, ...more };
  const answer = readAnswer(step, text, readWords(text), context);
  return 'value' in answer ? answer.value : null;
};

describe('numbers', () => {
  it.each([
    ['12', 12],
    ['١٢', 12],
    ['۱۲', 12],
    ['१२', 12],
    ['-3', -3],
    ['1,200', 1200],
    ['1.200,50', 1200.5],
    ['1,00,000', 100_000],
    ['3.5', 3.5],
    ['3,5', 3.5],
    ['٣٫٥', 3.5],
    ['١٬٢٠٠', 1200],
    ['QAR 50', 50],
    ['about 7 people', 7],
    ['5k', 5000],
    ['two', 2],
    ['two of us', 2],
    ['اثنين', 2],
    ['दो', 2],
    ['पाँच', 5],
    ['between 2 and 4', null],
    ['many', null],
    ['1 or 2', null],
  ])('reads "%s" as %s', (text, value) => {
    expect(read('number', text)).toBe(value);
  });
});

describe('dates', () => {
  it.each([
    ['2026-12-01', '2026-12-01'],
    ['٢٠٢٦-١٢-٠١', '2026-12-01'],
    ['1/12/2026', '2026-12-01'],
    ['01.12.26', '2026-12-01'],
    ['25/12', '2026-12-25'],
    ['12/25', '2026-12-25'],
    ['1 December', '2026-12-01'],
    ['December 1st, 2027', '2027-12-01'],
    ['3 January', '2027-01-03'],
    ['१ दिसंबर', '2026-12-01'],
    ['٥ يناير', '2027-01-05'],
    ['today', '2026-11-21'],
    ['tomorrow', '2026-11-22'],
    ['غدا', '2026-11-22'],
    ['कल', '2026-11-22'],
    ['بعد غد', '2026-11-23'],
    ['परसों', '2026-11-23'],
    ['next Friday', '2026-11-27'],
    ['الجمعة القادمة', '2026-11-27'],
    ['शुक्रवार को', '2026-11-27'],
    ['Saturday', '2026-11-28'],
    ['31/02/2026', null],
    ['2026-13-01', null],
    ['sometime', null],
  ])('reads "%s" as %s', (text, value) => {
    expect(read('date', text)).toBe(value);
  });

  it('a limit of more days than a date can have is a limit too', () => {
    const step: Step = { name: 'slot', type: 'date', ask: {}, min: -1e15, max: 1e15 };
    const context = { now, timeZone: null, country: null, language: null, monthFirst: false };
    expect(readAnswer(step, 'today', readWords('today'), context)).toMatchObject({ value: '2026-11-21' });
    const late = { ...step, min: 1e15 };
    expect(readAnswer(late, 'today', readWords('today'), context)).not.toHaveProperty('value');
  });

  it('relative dates count from the current day in the person’s time zone', () => {
    expect(read('date', 'today', { timeZone: 'Asia/Qatar' })).toBe('2026-11-22');
    expect(read('date', 'today', { timeZone: 'Nowhere/City' })).toBe('2026-11-21');
  });

  it('the month comes before the day only in an American locale', () => {
    expect(read('date', '02/03/2027')).toBe('2027-03-02');
    expect(read('date', '02/03/2027', { monthFirst: true })).toBe('2027-02-03');
  });
});

describe('phones', () => {
  it.each([
    ['+974 3000 1234', '+97430001234'],
    ['0097430001234', '+97430001234'],
    ['97430001234', '+97430001234'],
    ['٠٠٩٧٤ ٣٠٠٠ ١٢٣٤', '+97430001234'],
    ['my number is +91 98765-43210', '+919876543210'],
    ['30001234', null],
    ['hello', null],
  ])('reads "%s" as %s', (text, value) => {
    expect(read('phone', text)).toBe(value);
  });

  it('a national number is read if the country is known', () => {
    expect(read('phone', '3000 1234', { country: 'QA' })).toBe('+97430001234');
    expect(read('phone', '098765 43210', { country: 'IN' })).toBe('+919876543210');
  });
});

describe('e-mails', () => {
  it.each([
    ['a.b+c@Example.COM', 'a.b+c@example.com'],
    ['it is asha@example.qa, thanks', 'asha@example.qa'],
    ['asha@', null],
    ['a@b', null],
    ['a..b@c.de', null],
  ])('reads "%s" as %s', (text, value) => {
    expect(read('email', text)).toBe(value);
  });
});

describe('yes and no', () => {
  it.each([
    ['Yes', true],
    ['yes, next week', true],
    ['no thanks', false],
    ['نعم', true],
    ['أكيد', true],
    ['لا', false],
    ['हाँ', true],
    ['जी नहीं', false],
    ['मुझे नहीं चाहिए', false],
    ['haan ji', true],
    ['perhaps', null],
  ])('reads "%s" as %s', (text, value) => {
    expect(read('yes_no', text)).toBe(value);
  });
});

describe('choices', () => {
  const step: Step = {
    name: 'size',
    type: 'choice',
    ask: {},
    choices: [
      { id: 's', label: { en: 'Small', ar: 'صغير' } },
      { id: 'l', label: { en: 'Large', ar: 'كبير' } },
      { id: 'xl', label: { en: 'Extra large', ar: 'كبير جدا' } },
    ],
  };
  it.each([
    ['l', 'l'],
    ['large', 'l'],
    ['LARGE!', 'l'],
    ['extra large please', 'xl'],
    ['small or large', null],
    ['Extra large', 'xl'],
    ['3', 'xl'],
    ['٢', 'l'],
    ['the small one', 's'],
    ['smal', 's'],
    ['lagre', 'l'],
    ['صغير', 's'],
    ['4', null],
    ['medium', null],
  ])('reads "%s" as %s', (text, value) => {
    const context = { now, timeZone: null, country: null, language: null, monthFirst: false };
    const answer = readAnswer(step, text, readWords(text), context);
    expect('value' in answer ? answer.value : null).toBe(value);
  });
});
