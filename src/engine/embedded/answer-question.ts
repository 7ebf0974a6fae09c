import { HEADING_SEPARATOR } from '../knowledge/split-document.ts';
import { type Finding, MAX_QUESTION_CHARACTERS, type Passage } from '../provider.ts';
import { note, say, type Talk } from './talk.ts';

/** Answers from the agent's knowledge: quotes the passages word for word, each with its source. */

/** How many passages are considered. Of these, only those that belong to one answer are sent. */
const MAX_FOUND = 6;
const MAX_SAID = 5;
/** A passage whose score is below this share of the best score is about another topic. */
const SAME_ANSWER = 0.9;
const MAX_QUOTE = 1_000;

/** Answers with what the documents say; false when they do not answer the question. */
export const answerQuestion = async (talk: Talk, question: string): Promise<boolean> => {
  const found = await talk.request.knowledge.search(question.slice(0, MAX_QUESTION_CHARACTERS), MAX_FOUND);
  const best = found[0];
  note(talk, 'knowledge', best === undefined ? 'No passage answers this.' : 'Passages were found.', {
    passages: found.map(({ passage, score }) => ({
      document_id: passage.document_id,
      document: passage.document,
      heading: passage.heading,
      score: Math.round(score * 1_000) / 1_000,
    })),
  });
  if (best === undefined) return false;
  const said = saidOf(found);
  say(
    talk,
    sayPassages(said.map(({ passage }) => passage)),
    said.map(({ passage }) => ({ document: passage.document, quote: passage.text.slice(0, MAX_QUOTE) })),
  );
  return true;
};

/** Selects what is sent: the best passage and those that are as good or belong to the same list. */
export const saidOf = (found: readonly Finding[]): Finding[] => {
  const best = found[0];
  return best === undefined ? [] : found.filter((finding) => belongsTo(best, finding)).slice(0, MAX_SAID);
};

const belongsTo = (best: Finding, finding: Finding): boolean =>
  finding === best ||
  (finding.score >= best.score * SAME_ANSWER &&
    finding.passage.document_id === best.passage.document_id &&
    finding.passage.heading === best.passage.heading) ||
  finding.score >= best.score * 0.995;

/** A short passage means little without its heading, so the heading comes first, once for each run of passages. */
const sayPassages = (passages: readonly Passage[]): string => {
  const lines: string[] = [];
  let under: string | null = null;
  for (const passage of passages) {
    const heading = passage.heading?.split(HEADING_SEPARATOR).at(-1) ?? null;
    const wanted = heading !== null && (passages.length > 1 || passage.text.length < 160);
    if (wanted && heading !== under) lines.push(`${heading}:`);
    under = heading;
    lines.push(passages.length > 1 ? `• ${passage.text}` : passage.text);
  }
  return lines.join('\n');
};
