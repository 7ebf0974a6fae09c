import { foldText } from '../knowledge/fold-text.ts';
import { HEADING_SEPARATOR } from '../knowledge/split-document.ts';
import { MAX_QUESTION_CHARACTERS, type Offer, type Passage } from '../provider.ts';
import { readWords } from '../read-words.ts';
import type { Heard } from './obey-rules.ts';
import type { Offered } from './read-state.ts';
import { note, say, sayContent, type Talk } from './talk.ts';

/** Answers from the agent's knowledge: quotes the passages word for word, each with its source. */

const MAX_QUOTE = 1_000;
const NUMBER = /^\s*#?(\d)[.)]?\s*$/;

/** Answers with what the documents say; false when they do not answer the question. */
export const answerQuestion = async (talk: Talk, question: string): Promise<boolean> => {
  const { findings, offers } = await talk.request.knowledge.answer(question.slice(0, MAX_QUESTION_CHARACTERS));
  note(talk, 'knowledge', findings.length === 0 ? 'No passage answers this.' : 'Passages were found.', {
    passages: findings.map(({ passage, score }) => ({ ...placeOf(passage), score: Math.round(score * 1_000) / 1_000 })),
  });
  if (findings.length === 0) {
    talk.offers = offers;
    return false;
  }
  sayPassages(
    talk,
    findings.map(({ passage }) => passage),
  );
  return true;
};

/**
 * Says what may answer the last question that had no answer: the passage if one is clearly the nearest, otherwise two
 * names to choose from. It is marked as uncertain. False when nothing is near.
 */
export const offerSections = (talk: Talk): boolean => {
  const [first, second] = talk.offers;
  if (first === undefined) return false;
  note(talk, 'offer', 'No passage answers this for certain; the nearest are offered.', {
    passages: talk.offers.map(({ passages }) => placeOf(passages[0]!)),
  });
  if (second === undefined) sayPassages(talk, first.passages, talk.texts.may_answer);
  else {
    talk.state.offered = talk.offers.map(offeredOf);
    const choices = talk.offers.map(({ label }, at) => ({ id: String(at + 1), label }));
    sayContent(talk, { type: 'choices', text: talk.texts.which_of_these, choices });
  }
  return true;
};

/** Says the section that the person chose from the last offer; false when the message is no choice. */
export const tellChosen = (talk: Talk, { text, words }: Heard): boolean => {
  // Only the whole name or its number: a new question may contain the name.
  const number = NUMBER.exec(foldText(text))?.[1];
  const chosen =
    number === undefined
      ? talk.offeredBefore.find(({ label }) => readWords(label).join(' ') === words.join(' '))
      : talk.offeredBefore[Number(number) - 1];
  if (chosen === undefined) return false;
  const { label, document, quote } = chosen;
  note(talk, 'knowledge', 'The person chose what was offered.', { document, label });
  say(talk, chosen.text, [{ document, quote }]);
  return true;
};

const offeredOf = ({ label, passages }: Offer): Offered => ({
  label,
  text: textOf(passages),
  document: passages[0]!.document,
  quote: passages
    .map(({ text }) => text)
    .join('\n')
    .slice(0, MAX_QUOTE),
});

const placeOf = ({ document_id, document, heading }: Passage) => ({ document_id, document, heading });

const sayPassages = (talk: Talk, passages: readonly Passage[], before?: string): void =>
  say(
    talk,
    before === undefined ? textOf(passages) : `${before}\n\n${textOf(passages)}`,
    passages.map(({ document, text }) => ({ document, quote: text.slice(0, MAX_QUOTE) })),
  );

/** A short passage means little without its heading, so the heading comes first, once for each run of passages. */
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
