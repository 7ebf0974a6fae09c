/** The order of results; the server and the browser use this one file, so both find the same. */

/** Letters, digits and `_`: a code or the name of a field stays one word. */
export const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

const MOST_WORDS = 10;
const MOST_RESULTS = 20;

/** Entries that hold every word, the best first. The beginning of a word is enough. */
export function find(entries, query) {
  const wanted = wordsOf(query).slice(0, MOST_WORDS);
  if (wanted.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ entry }) => entry);
}

function scoreOf({ title, detail, words, isPage }, wanted) {
  const head = ` ${wordsOf(`${title} ${detail}`).join(' ')} `;
  const body = ` ${words} `;
  let score = 0;
  for (const word of wanted) {
    const worth = Math.max(worthOf(head, word) * 6, worthOf(body, word));
    if (worth === 0) return 0;
    score += worth;
  }
  const phrase = wanted.join(' ');
  const name = wordsOf(title).join(' ');
  if (name === phrase) score += 1000;
  else if (name.startsWith(phrase)) score += 100;
  else if (head.includes(` ${phrase} `)) score += 60;
  return score + (isPage ? 1 : 0);
}

function worthOf(text, word) {
  if (text.includes(` ${word} `)) return 4;
  if (text.includes(` ${word}`)) return 2;
  return text.includes(word) ? 1 : 0;
}
