import type { StableText } from './stable-text.ts';

/**
 * Some models write their reasoning into the answer, between tags. Reasoning between tags is not part of the answer.
 * Some servers add the opening tag to the prompt, so the answer may contain only the closing tag. Without an opening
 * tag, all text before the closing tag is reasoning.
 */
const NAMES = ['think', 'thinking', 'thought', 'reasoning'];
const OPENING = new RegExp(`<(?:${NAMES.join('|')})(?:\\s[^<>]{0,200})?>|\\[THINK\\]`, 'i');
const CLOSING = new RegExp(`</(?:${NAMES.join('|')})\\s{0,20}>|\\[/THINK\\]`, 'i');
const EITHER = new RegExp(`${OPENING.source}|${CLOSING.source}`, 'i');

/** Matches the beginning of a tag at the end of a text. The next characters decide whether the text is a tag. */
const BEGUN = new RegExp(`^<(?:${NAMES.join('|')})\\s[^<>]{0,200}$`, 'i');
const TAGS = [...NAMES.flatMap((name) => [`<${name}>`, `</${name}>`]), '[think]', '[/think]'];
const isBegun = (text: string): boolean =>
  TAGS.some((tag) => tag.startsWith(text.trimEnd().toLowerCase())) || BEGUN.test(text);

/**
 * Returns the answer of a model without its reasoning. If the reasoning does not end, the rest of the answer is
 * reasoning.
 */
export function withoutReasoning(text: string): string {
  let answer = '';
  const hidden = hideReasoning({ add: (more) => void (answer += more), takeBack: () => void (answer = '') });
  hidden.add(text);
  hidden.end();
  return answer;
}

/** Removes the reasoning from an answer that arrives in pieces. Two pieces may contain the halves of one tag. */
export function hideReasoning(words: StableText): StableText & { end(): void } {
  let undecided = '';
  let isReasoning = false;

  function decide(): void {
    for (;;) {
      const found = (isReasoning ? CLOSING : EITHER).exec(undecided);
      if (!found) break;
      const before = undecided.slice(0, found.index);
      undecided = undecided.slice(found.index + found[0].length);
      if (isReasoning) isReasoning = false;
      else if (CLOSING.test(found[0])) words.takeBack();
      else {
        isReasoning = true;
        if (before !== '') words.add(before);
      }
    }
    const last = Math.max(undecided.lastIndexOf('<'), undecided.lastIndexOf('['));
    const end = last >= 0 && isBegun(undecided.slice(last)) ? last : undecided.length;
    if (!isReasoning && end > 0) words.add(undecided.slice(0, end));
    undecided = undecided.slice(end);
  }

  return {
    add(text) {
      undecided += text;
      decide();
    },
    takeBack() {
      undecided = '';
      isReasoning = false;
      words.takeBack();
    },
    end() {
      if (!isReasoning && undecided !== '') words.add(undecided);
      undecided = '';
    },
  };
}
