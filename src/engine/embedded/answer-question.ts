import { foldText } from '../knowledge/fold-text.ts';
import { passageKey } from '../knowledge/question-key.ts';
import { HEADING_SEPARATOR } from '../knowledge/split-document.ts';
import { MAX_QUESTION_CHARACTERS, type Offer, type Passage } from '../provider.ts';
import { readWords } from '../read-words.ts';
import type { ReadText } from './apply-rules.ts';
import type { Offered } from './read-state.ts';
import { note, say, sayContent, type EmbeddedTurn } from './embedded-turn.ts';

/** Answers from the agent's knowledge by quoting passages word for word, each with its source. */

const MAX_QUOTE = 1_000;
const NUMBER = /^\s*#?(\d)[.)]?\s*$/;

/** Answers with passages of the documents. The function returns false if the documents do not answer the question. */
export const answerQuestion = async (turn: EmbeddedTurn, question: string): Promise<boolean> => {
  const { findings, offers } = await turn.request.knowledge.answer(question.slice(0, MAX_QUESTION_CHARACTERS));
  note(turn, 'knowledge', findings.length === 0 ? 'No passage answers this.' : 'Passages were found.', {
    passages: findings.map(({ passage, score }) => ({ ...placeOf(passage), score: Math.round(score * 1_000) / 1_000 })),
  });
  if (findings.length === 0) {
    turn.offers = offers;
    return false;
  }
  sayPassages(
    turn,
    findings.map(({ passage }) => passage),
  );
  return true;
};

/**
 * Asks the person which of the most similar sections is meant, and offers one more choice for something else. The
 * function returns false if no section is similar, and directly after a turn that already asked. The question counts as
 * unanswered until the person chooses a section.
 */
export const askBack = (turn: EmbeddedTurn, question: string): boolean => {
  if (turn.offers.length === 0 || turn.offeredBefore.length > 0) return false;
  note(turn, 'ask_back', 'The agent is not certain, so it asks which section is meant.', {
    passages: turn.offers.map(({ passages }) => placeOf(passages[0]!)),
  });
  noteMiss(turn, 'Unanswered until the person chooses a section.', question);
  turn.state.offered = turn.offers.map(offeredOf);
  turn.state.asked = question.slice(0, MAX_NOTED);
  const labels = [...turn.offers.map(({ label }) => label), turn.texts.something_else];
  const choices = labels.map((label, at) => ({ id: String(at + 1), label }));
  sayContent(turn, { type: 'choices', text: turn.texts.which_of_these, choices });
  return true;
};

/** Returns the person's choice after a turn that asked back. Null if the message is not a choice. */
export const chosenFrom = (turn: EmbeddedTurn, { text, words }: ReadText): Offered | 'something_else' | null => {
  const { offeredBefore } = turn;
  if (offeredBefore.length === 0) return null;
  // Only the whole name or its number counts as a choice, because a new question may contain the name.
  const number = NUMBER.exec(foldText(text))?.[1];
  if (number !== undefined) {
    if (Number(number) === offeredBefore.length + 1) return 'something_else';
    return offeredBefore[Number(number) - 1] ?? null;
  }
  const joined = words.join(' ');
  if (joined === '') return null;
  if (joined === readWords(turn.texts.something_else).join(' ')) return 'something_else';
  return offeredBefore.find(({ label }) => readWords(label).join(' ') === joined) ?? null;
};

/** Sends the section that the person chose. */
export const tellChosen = (turn: EmbeddedTurn, { label, document, quote, text, learn }: Offered): void => {
  const learned = learn && turn.askedBefore !== null ? { ...learn, question: turn.askedBefore } : {};
  note(turn, 'chosen', 'The person chose a section.', { document, label, ...learned });
  say(turn, text, [{ document, quote }]);
};

/**
 * An entry in the list of unanswered questions has at most this length. One unanswered question may consist of several
 * messages.
 */
const MAX_NOTED = 500;

/** Adds the question to the list of unanswered questions. */
export const noteMiss = (turn: EmbeddedTurn, detail: string, question: string): void =>
  note(turn, 'miss', detail, {
    misses: turn.state.misses,
    characters: question.length,
    question: question.slice(0, MAX_NOTED),
  });

const offeredOf = ({ label, passages, nearest }: Offer): Offered => ({
  label,
  learn: { document_id: nearest.document_id, passage: passageKey(nearest) },
  text: textOf(passages),
  document: passages[0]!.document,
  quote: passages
    .map(({ text }) => text)
    .join('\n')
    .slice(0, MAX_QUOTE),
});

const placeOf = ({ document_id, document, heading }: Passage) => ({ document_id, document, heading });

const sayPassages = (turn: EmbeddedTurn, passages: readonly Passage[]): void =>
  say(
    turn,
    textOf(passages),
    passages.map(({ document, text }) => ({ document, quote: text.slice(0, MAX_QUOTE) })),
  );

/**
 * A short passage means little without its heading, so the text begins with the heading, once for a run of passages.
 */
const textOf = (passages: readonly Passage[]): string => {
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
