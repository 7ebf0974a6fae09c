import { setImmediate as breathe } from 'node:timers/promises';
import { readQuestion } from './read-question.ts';

/** A longer one is a story; its beginning tells the topic. */
const MAX_CHARACTERS = 500;
/** Of the words that two questions have, so many must be in both, by weight. */
const SAME_SHARE = 0.5;
/** A word that a question could do without, as `sell` beside gift cards, tells less of its topic. */
const WEIGHTS = { must: 1, may: 1 / 3 };
const BETWEEN_BREATHS = 25;

/**
 * Puts questions with the same topic together: those that share at least half of their words by weight, by stem or by
 * what they mean, in any of the languages. The first of a group decides what belongs to it.
 */
export async function groupQuestions<T extends { text: string }>(asked: readonly T[]): Promise<T[][]> {
  const groups: { topics: Topics; weight: number; members: T[] }[] = [];
  const byTopic = new Map<string, number[]>();
  for (const [at, one] of asked.entries()) {
    // Reading hundreds of questions must not hold up those who call.
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

/** What a word means, or its stem; a question of empty words is its own topic. */
function topicsOf(text: string): Topics {
  const topics: Topics = new Map();
  for (const { term, force } of readQuestion(text.slice(0, MAX_CHARACTERS))) {
    if (term === null || force === 'kind') continue;
    const name = term.means[0] ?? term.stem;
    topics.set(name, Math.max(topics.get(name) ?? 0, WEIGHTS[force]));
  }
  return topics.size > 0 ? topics : new Map([[text.trim().toLowerCase(), WEIGHTS.must]]);
}

/** Each with its weight. */
type Topics = Map<string, number>;
const weightOf = (topics: Topics): number => topics.values().reduce((sum, one) => sum + one, 0);
