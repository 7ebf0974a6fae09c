import type { AgentDefinition } from '../../../contract/agents.ts';
import { MAX_RATING_COMMENT, RATING_COMMENT } from '../../../contract/ratings.ts';
import { rulesOf } from '../embedded/compile-rules.ts';
import { matchRules, MAX_PATTERN_STEPS } from '../embedded/match-rules.ts';
import { asksForPerson } from '../embedded/asks-for-person.ts';
import { foldText } from '../knowledge/fold-text.ts';
import { asksToStop } from '../stop-words.ts';
import { MAX_READ_CHARACTERS, readWords } from '../read-words.ts';

/** Matches `4`, `4.`, `#4` and `4/5`, in the digits of any script. */
const SCORE = /^#?([1-5])(?:[.)]|\s?\/\s?5)?$/;
const COMMENT = new RegExp(RATING_COMMENT);

/**
 * Reads a message as the answer to a survey, which is a number or the label of a button. A pressed button arrives as
 * its label. The lines after the score are the comment. Null: the message does not answer the survey.
 */
export function readScore(text: string, labels: readonly string[]): { score: number; rest: string } | null {
  const [first = '', ...others] = text.trim().split(/\r?\n/);
  // A label has at most 256 characters.
  const line = plain(first.trim().slice(0, 300));
  const index = labels.findIndex((label) => plain(label) === line);
  const score = index >= 0 ? index + 1 : Number(SCORE.exec(line)?.[1] ?? 0);
  return score > 0 ? { score, rest: others.join('\n').trim() } : null;
}

/**
 * Many people type the Arabic ending -an without its mark. Without this function, `foldText` would keep only the alef
 * of the ending.
 */
const plain = (text: string): string => foldText(text.replaceAll('\u064b', ''));

/** True if the text can be stored as a comment. */
export const isComment = (text: string): boolean =>
  text.trim() !== '' && text.length <= MAX_RATING_COMMENT && COMMENT.test(text);

/**
 * True if the agent must act on the text, so that it is no comment. Examples are an opt-out, a request for a person, or
 * a rule with an action.
 */
export function isCommand(text: string, definition: AgentDefinition): boolean {
  const read = text.slice(0, MAX_READ_CHARACTERS);
  const words = readWords(read);
  if (asksToStop([text]) || (definition.hand_off?.on_request !== false && asksForPerson(read))) return true;
  return matchRules(rulesOf(definition), read, words, { steps: MAX_PATTERN_STEPS }).rule?.action !== undefined;
}
