import { setImmediate as breathe } from 'node:timers/promises';
import { readQuestion } from './read-question.ts';

/** A message with more characters is a story, and its beginning shows the topic. */
const MAX_CHARACTERS = 500;
/** Two questions have the same topic if both contain this share of their words, by weight. */
const SAME_SHARE = 0.5;
/** Optional words of a question, such as `sell` next to "gift cards", say less about the topic of the question. */
const WEIGHTS = { must: 1, may: 1 / 3 };
const BETWEEN_BREATHS = 25;

/**
 * Groups questions with the same topic, which share at least half of their words by weight. Words match by stem or by
 * meaning, in any of the languages. The first question of a group decides which other questions belong to the group.
 */
export async function groupQuestions<T extends { text: string }>(asked: readonly T[]): Promise<T[][]> {
  const groups: { topics: Topics; weight: number; members: T[] }[] = [];
  const byTopic = new Map<string, number[]>();
  for (const [at, one] of asked.entries()) {
    // The event loop must not be blocked while hundreds of questions are read.
    if (at % BETWEEN_BREATHS === BETWEEN_BREATHS - 1) await breathe();
    const topics = topicsOf(one.text);
    const weight = weightOf(topics);
    const shared = new Map<number, number>();
    for (const [topic, mine] of topics)
      for (const group of byTopic.get(topic) ?? [])
        shared.set(group, (shared.get(group) ?? 0) + Math.min(mine, groups[group]!.topics.get(topic)!));
    const best = [...shared]
      .map(([group, both]) => ({ group, share: both / (weight + groups[group]!.weight - both) }))
      .toSorted((a, b) => b.share - a.share || a.group - b.group)[0];
    if (best && best.share >= SAME_SHARE) {
      groups[best.group]!.members.push(one);
      continue;
    }
    for (const topic of topics.keys()) byTopic.set(topic, [...(byTopic.get(topic) ?? []), groups.length]);
    groups.push({ topics, weight, members: [one] });
  }
  return groups.map(({ members }) => members);
}

/**
 * Returns the topics that the words mean, or the stems of the words. A question without informative words is a separate
 * topic.
 */
function topicsOf(text: string): Topics {
  const topics: Topics = new Map();
  for (const { term, force } of readQuestion(text.slice(0, MAX_CHARACTERS))) {
    if (term === null || force === 'kind') continue;
    const name = term.means[0] ?? term.stem;
    topics.set(name, Math.max(topics.get(name) ?? 0, WEIGHTS[force]));
  }
  return topics.size > 0 ? topics : new Map([[text.trim().toLowerCase(), WEIGHTS.must]]);
}

/** The topics of a question, each with its weight. */
type Topics = Map<string, number>;
const weightOf = (topics: Topics): number => topics.values().reduce((sum, one) => sum + one, 0);
