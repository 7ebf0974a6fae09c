import { isQuestion, smallTalkIn } from '../embedded/phrases.ts';
import { readWords } from '../read-words.ts';

/**
 * The questions in a message, and the text around them. Messages often begin with a greeting and a story, and end with
 * the question. The search uses the question, and the rest of the message only helps to rank.
 */
export type Focus = { questions: string[]; story: string };

export const focusQuestion = (message: string): Focus => {
  const sentences = message.split(SENTENCE).filter((sentence) => sentence.trim() !== '');
  const folded = sentences
    .map((sentence) => ({ sentence: withoutGreeting(sentence), words: readWords(sentence) }))
    .filter(({ sentence, words }) => sentence !== '' && smallTalkIn(words) === null);
  const questions = folded.filter(({ sentence, words }) => isQuestion(sentence, words));
  if (questions.length === 0)
    return { questions: [folded.map(({ sentence }) => sentence).join('\n') || message], story: '' };
  const story = folded.filter((one) => !questions.includes(one)).map(({ sentence }) => sentence);
  return { questions: questions.slice(-MAX_QUESTIONS).map(({ sentence }) => sentence), story: story.join('\n') };
};

/**
 * At most this many questions of a message are used. If a message has more questions, the latest questions are used.
 */
const MAX_QUESTIONS = 3;
const SENTENCE = /(?<=[.!?؟।…])(?=\s)|\n+/u;
/** Matches the greeting in "Hello, when do you open?". */
const GREETED = /^\s*([\p{L}\p{M}' ]{2,40})[,،!:]\s+(?=\S)/u;

const withoutGreeting = (sentence: string): string => {
  const greeted = GREETED.exec(sentence);
  if (greeted === null || smallTalkIn(readWords(greeted[1]!)) === null) return sentence.trim();
  return sentence.slice(greeted[0].length).trim();
};
