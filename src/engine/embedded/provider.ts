import type { Provider, TurnRequest, TurnResult } from '../provider.ts';
import { answerQuestion, askBack, chosenFrom, noteMiss, tellChosen } from './answer-question.ts';
import { acceptAnswer, askCurrent, currentStep, refuseAnswer, startsOnOpen, startSteps } from './guide-steps.ts';
import { asksToStop } from '../stop-words.ts';
import { asksToBegin, isQuestion, type SmallTalk, smallTalkIn } from './phrases.ts';
import { handOff, optOut } from './end-conversation.ts';
import {
  type ReadText,
  readTexts,
  mayHandOver,
  applyRule,
  type Outcome,
  outranksStep,
  ruleFor,
} from './apply-rules.ts';
import { beginTurn, builtIn, endTurn, note, ownText, say, type EmbeddedTurn } from './embedded-turn.ts';

/**
 * The deterministic agent. The embedded agent uses no key, no network and no model. The same request always results in
 * the same turn. The agent checks each message for stop words, rules, a request for a human, the answer to the current
 * step, small talk, and knowledge. The first match decides. A message without a match is a miss, and the agent answers
 * that it does not know.
 */
export const embeddedProvider: Provider = {
  name: 'embedded',
  turn: async (request: TurnRequest): Promise<TurnResult> => {
    const turn = beginTurn(request);
    if (request.input.length === 0) open(turn);
    else await answerMessages(turn);
    return endTurn(turn);
  },
};

const open = (turn: EmbeddedTurn): void => {
  const opening = ownText(turn, turn.definition.opening);
  const stepsFollow = startsOnOpen(turn) || currentStep(turn) !== null;
  if (opening !== null) say(turn, opening);
  if (turn.messages.length === 0 && !stepsFollow) say(turn, builtIn(turn, turn.texts.opening));
  note(turn, 'opening', opening === null ? 'The built-in opening.' : "The agent's opening.");
  if (currentStep(turn) !== null) askCurrent(turn);
  else if (startsOnOpen(turn)) startSteps(turn);
};

const answerMessages = async (turn: EmbeddedTurn): Promise<void> => {
  const { input } = turn.request;
  if (asksToStop(input)) return optOut(turn, 'The person asked to stop.');
  const message = readTexts(input);
  const missed: string[] = [];
  let answered = false;
  for (const one of message) {
    const outcome = await respond(turn, one, message.length === 1);
    if (outcome === 'ended') return;
    if (outcome === 'missed') missed.push(one.read);
    else answered ||= outcome === 'answered';
  }
  // People split one sentence over several messages, so the messages together may be a question that has an answer.
  if (missed.length > 1 && (await answerQuestion(turn, missed.join(' ')))) missed.length = 0;
  if (missed.length > 0) {
    // A turn that asks back is neither an answer nor a miss, so the count of misses does not change.
    const question = missed.join(' ');
    if (!askBack(turn, question)) miss(turn, question);
  } else if (answered) turn.state.misses = currentStep(turn) === null ? 0 : turn.state.misses;
  if (turn.next === 'waiting_for_user' && turn.first && currentStep(turn) === null && startsOnOpen(turn))
    startSteps(turn);
};

const respond = async (turn: EmbeddedTurn, message: ReadText, alone: boolean): Promise<Outcome> => {
  const { text, read, words } = message;
  const rule = ruleFor(turn, message);
  const step = currentStep(turn);
  if (rule !== null && (step === null || outranksStep(rule))) return applyRule(turn, rule);
  if (mayHandOver(turn, message)) {
    if (rule !== null) return applyRule(turn, rule) === 'ended' ? 'ended' : again(turn);
    handOff(turn, 'asked', 'The person asked for a person.');
    return 'ended';
  }
  if (asksToBegin(text)) return begin(turn, alone);
  if (step !== null) {
    // If the person asks a question instead of answering the step, the agent answers the question first and then asks
    // the step again.
    if (step.type === 'text' && isQuestion(read, words) && (await answerQuestion(turn, read))) return again(turn);
    if (acceptAnswer(turn, step, text, words)) return 'answered';
    if (rule !== null) return applyRule(turn, rule) === 'ended' ? 'ended' : again(turn);
    if (isQuestion(read, words) && (await answerQuestion(turn, read))) return again(turn);
    refuseAnswer(turn, step, text, words);
    return tooManyMisses(turn) ? 'ended' : 'answered';
  }
  const chosen = chosenFrom(turn, message);
  if (chosen === 'something_else') return decline(turn);
  if (chosen !== null) {
    tellChosen(turn, chosen);
    return 'answered';
  }
  if (isFile(text)) return alone ? chat(turn, 'file_received') : 'silent';
  const smallTalk = smallTalkIn(words);
  if (smallTalk !== null) return alone ? chat(turn, smallTalk) : 'silent';
  if (words.length === 0) return 'missed';
  if (await answerQuestion(turn, read)) return 'answered';
  // A message such as "I want to book a table" starts the steps. Only a question is answered before the steps start.
  return turn.first && startsOnOpen(turn) && !isQuestion(read, words) ? 'silent' : 'missed';
};

/** The request names messages without text in this form (TurnRequest.input). */
const isFile = (text: string): boolean => /^\[(?:image|audio|video|file)(?:: .*)?\]$/s.test(text);

/** Handles the start button of a chat. If the person also sent other text, the other text is answered instead. */
const begin = (turn: EmbeddedTurn, alone: boolean): Outcome => {
  if (!alone) return 'silent';
  open(turn);
  return 'answered';
};

const again = (turn: EmbeddedTurn): Outcome => {
  askCurrent(turn);
  return 'answered';
};

const chat = (turn: EmbeddedTurn, kind: SmallTalk | 'file_received'): Outcome => {
  note(turn, 'small_talk', `This is small talk: ${kind}.`);
  const opening = turn.first && kind === 'greeting' ? ownText(turn, turn.definition.opening) : null;
  if (opening !== null) say(turn, opening);
  else if (!(turn.first && startsOnOpen(turn))) say(turn, turn.texts[kind]);
  return 'answered';
};

const miss = (turn: EmbeddedTurn, question: string): void => {
  turn.state.misses++;
  noteMiss(turn, `Unanswered ${turn.state.misses} in a row.`, question);
  if (!tooManyMisses(turn)) doNotKnow(turn);
};

/**
 * The person meant none of the offered sections. The question has been in the list of unanswered questions since the
 * agent asked back.
 */
const decline = (turn: EmbeddedTurn): Outcome => {
  turn.state.misses++;
  note(turn, 'declined', 'The person chose none of the sections.', { misses: turn.state.misses });
  if (tooManyMisses(turn)) return 'ended';
  doNotKnow(turn);
  return 'silent';
};

const doNotKnow = (turn: EmbeddedTurn): void =>
  say(turn, ownText(turn, turn.definition.dont_know) ?? turn.texts.dont_know);

const tooManyMisses = (turn: EmbeddedTurn): boolean => {
  const limit = turn.definition.hand_off?.after_misses;
  if (limit === undefined || turn.state.misses < limit) return false;
  turn.messages.length = 0;
  handOff(turn, 'not_understood', `${turn.state.misses} answers in a row were not understood.`);
  return true;
};
