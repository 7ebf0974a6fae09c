import type { Rule } from '../../../contract/agents.ts';
import { MAX_READ_CHARACTERS, readWords, type Words } from '../read-words.ts';
import { asksForPerson } from './asks-for-person.ts';
import { rulesOf } from './compile-rules.ts';
import { handOff, optOut } from './end-conversation.ts';
import { startSteps } from './guide-steps.ts';
import { matchRules } from './match-rules.ts';
import { note, ownText, say, type EmbeddedTurn } from './embedded-turn.ts';

/**
 * At most this many messages since the last turn are answered. If there are more messages, the latest messages are
 * answered.
 */
const MAX_HEARD = 10;

/**
 * All messages of one turn together are read up to this length. Each message has a separate limit, because rules and
 * intents apply to its beginning.
 */
const MAX_READ_IN_TURN = 4_000;

/** `read` is the beginning of the text, up to the limit for rules and intents. */
export type ReadText = { text: string; read: string; words: Words };

export const readTexts = (input: readonly string[]): ReadText[] => {
  const latest = input.slice(-MAX_HEARD);
  const each = Math.min(MAX_READ_CHARACTERS, Math.floor(MAX_READ_IN_TURN / latest.length));
  return latest.map((text) => {
    const read = text.slice(0, each);
    return { text, read, words: readWords(read) };
  });
};

/** The outcome `missed` is a question without an answer. The outcome `silent` means that no answer is needed. */
export type Outcome = 'answered' | 'missed' | 'silent' | 'ended';

export const ruleFor = (turn: EmbeddedTurn, { read, words }: ReadText): Rule | null => {
  const compiled = rulesOf(turn.definition);
  const { rule, labels } = matchRules(compiled, read, words, turn.patterns);
  // When an agent is saved, Parley refuses faults of rules and of patterns. An older version may have stored such a
  // definition. The fault of such a definition is reported in the trace, where the author looks for the reason.
  for (const { pointer, detail } of compiled.faults.slice(0, 1)) note(turn, 'rule_left_out', `${pointer}: ${detail}`);
  if (turn.patterns.steps <= 0) note(turn, 'patterns_stopped', 'The patterns took too long; not all were tried.');
  for (const label of labels) putLabel(turn, label);
  return rule;
};

/**
 * Recognizes the built-in phrases with which a person asks for a human. The built-in phrases apply when no rule of the
 * agent matches.
 */
export const mayHandOver = (turn: EmbeddedTurn, { read }: ReadText): boolean =>
  turn.definition.hand_off?.on_request !== false && asksForPerson(read);

const putLabel = (turn: EmbeddedTurn, rule: Rule): void => {
  note(turn, 'rule', `The rule "${rule.name}" fits.`, { rule: rule.name, action: rule.action ?? null });
  if (rule.tag !== undefined) turn.tags.add(rule.tag);
};

/** While a step waits, only a rule that ends the conversation has priority over the answer. */
export const outranksStep = (rule: Rule): boolean =>
  rule.action === 'opt_out' || rule.action === 'hand_off' || rule.action === 'complete';

export const applyRule = (turn: EmbeddedTurn, rule: Rule): Outcome => {
  putLabel(turn, rule);
  const reply = ownText(turn, rule.reply);
  if (rule.action === 'opt_out') {
    optOut(turn, `The rule "${rule.name}" opts out.`, reply);
    return 'ended';
  }
  if (rule.action === 'hand_off') {
    handOff(turn, 'rule', `The rule "${rule.name}" hands over.`, reply);
    return 'ended';
  }
  if (reply !== null) say(turn, reply);
  if (rule.action === 'complete') {
    turn.state.step = null;
    turn.next = 'completed';
    if (reply === null) say(turn, turn.texts.completed);
    return 'ended';
  }
  if (rule.action === 'start_steps') startSteps(turn);
  return 'answered';
};
