import { expect, test } from 'vitest';
import { hideReasoning, withoutReasoning } from './hide-reasoning.ts';

const ANSWERS: [string, string][] = [
  ['<think>They want hours.</think>At nine.', 'At nine.'],
  ['<THINK lang="en">\nHm <b>\n</think >\n\nAt nine.', '\n\nAt nine.'],
  ['Before. <thinking>x</thinking>After.', 'Before. After.'],
  ['[THINK]x[/THINK]At nine.', 'At nine.'],
  // The opening tag is in the prompt of some servers.
  ['They want hours.</think>At nine.', 'At nine.'],
  ['<think>one</think>two<think>three</think> four', 'two four'],
  ['<think>cut off', ''],
  ['<think></think>', ''],
  [
    '5 < 6, [1] and <thin ice> and <b>bold</b> and a < think',
    '5 < 6, [1] and <thin ice> and <b>bold</b> and a < think',
  ],
  ['An end <thi', 'An end <thi'],
];

test.each(ANSWERS)('the answer of %j is %j', (text, answer) => expect(withoutReasoning(text)).toBe(answer));

test.each(ANSWERS)('the answer %j shows no reasoning, for any size of the pieces', (text, answer) => {
  for (let size = 1; size <= text.length; size++) {
    const seen: string[] = [];
    let shown = '';
    const hidden = hideReasoning({
      add: (more) => void seen.push((shown += more)),
      takeBack: () => void (shown = ''),
    });
    for (let at = 0; at < text.length; at += size) hidden.add(text.slice(at, at + size));
    expect(answer.startsWith(shown)).toBe(true);
    // Without an opening tag, the first words are shown until the closing tag arrives.
    const shownEarly = text.startsWith('They') ? [] : seen.filter((each) => !answer.startsWith(each));
    expect(shownEarly).toEqual([]);
    hidden.end();
    expect(shown).toBe(answer);
  }
});

test('a long answer with many open brackets takes linear time', () => {
  expect(withoutReasoning('<'.repeat(200_000))).toHaveLength(200_000);
  expect(withoutReasoning('<think '.repeat(30_000))).toHaveLength(210_000);
});
