import { setImmediate as breathe } from 'node:timers/promises';
import { readQuestion } from './read-question.ts';

/** A longer one is a story; its beginning tells the topic. */
const MAX_CHARACTERS = 500;
/** Of the words that two questions have, so many must be in both. */
const SAME_SHARE = 0.5;
const BETWEEN_BREATHS = 25;

/**
 * Puts questions with the same topic together: those that share at least half of their words, by stem or by what they
 * mean, in any of the languages. The first of a group decides what belongs to it.
 */
export async function groupQuestions<T extends { text: string }>(asked: readonly T[]): Promise<T[][]> {
  const groups: { topics: Set<string>; members: T[] }[] = [];
  const byTopic = new Map<string, number[]>();
  for (const [at, one] of asked.entries()) {
    // Reading hundreds of questions must not hold up those who call.
    if (at % BETWEEN_BREATHS === BETWEEN_BREATHS - 1) await breathe();
    const topics = topicsOf(one.text);
    const shared = new Map<number, number>();
    for (const topic of topics)
      for (const group of byTopic.get(topic) ?? []) shared.set(group, (shared.get(group) ?? 0) + 1);
    const best = [...shared]
      .map(([group, both]) => ({ group, share: both / (topics.size + groups[group]!.topics.size - both) }))
      .toSorted((a, b) => b.share - a.share || a.group - b.group)[0];
    if (best && best.share >= SAME_SHARE) {
      groups[best.group]!.members.push(one);
      continue;
    }
    for (const topic of topics) byTopic.set(topic, [...(byTopic.get(topic) ?? []), groups.length]);
    groups.push({ topics, members: [one] });
  }
  return groups.map(({ members }) => members);
}

/** What a word means, or its stem; a question of empty words is its own topic. */
function topicsOf(text: string): Set<string> {
  const topics = readQuestion(text.slice(0, MAX_CHARACTERS)).flatMap(({ term, force }) =>
    term === null || force === 'kind' ? [] : (term.means[0] ?? term.stem),
  );
  return new Set(topics.length > 0 ? topics : [text.trim().toLowerCase()]);
}
