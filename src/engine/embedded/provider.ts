import type { Provider, TurnRequest, TurnResult } from '../provider.ts';
import { answerQuestion, askBack, chosenFrom, noteMiss, tellChosen } from './answer-question.ts';
import { acceptAnswer, askCurrent, currentStep, refuseAnswer, startsOnOpen, startSteps } from './guide-steps.ts';
import { asksToStop } from '../opt-out.ts';
import { asksToBegin, isQuestion, type SmallTalk, smallTalkIn } from './phrases.ts';
import { handOff, optOut } from './end-conversation.ts';
import { type Heard, heardIn, mayHandOver, obey, type Outcome, outranksStep, ruleFor } from './apply-rules.ts';
import { beginTalk, builtIn, endTalk, note, ownText, say, type Talk } from './talk.ts';

/**
 * The deterministic agent. It uses no key, no network and no model. The same request always results in the same turn.
 * Each message is checked in this order, and the first match decides: stop words, rules, a request for a human, the
 * answer to the current step, small talk, knowledge. A message that matches nothing is a miss, and the agent says so.
 */
export const embeddedProvider: Provider = {
  name: 'embedded',
  turn: async (request: TurnRequest): Promise<TurnResult> => {
    const talk = beginTalk(request);
    if (request.input.length === 0) open(talk);
    else await hear(talk);
    return endTalk(talk);
  },
};

const open = (talk: Talk): void => {
  const opening = ownText(talk, talk.definition.opening);
  const stepsFollow = startsOnOpen(talk) || currentStep(talk) !== null;
  if (opening !== null) say(talk, opening);
  if (talk.said.length === 0 && !stepsFollow) say(talk, builtIn(talk, talk.texts.opening));
  note(talk, 'opening', opening === null ? 'The built-in opening.' : "The agent's opening.");
  if (currentStep(talk) !== null) askCurrent(talk);
  else if (startsOnOpen(talk)) startSteps(talk);
};

const hear = async (talk: Talk): Promise<void> => {
  const { input } = talk.request;
  if (asksToStop(input)) return optOut(talk, 'The person asked to stop.');
  const heard = heardIn(input);
  const missed: string[] = [];
  let answered = false;
  for (const one of heard) {
    const outcome = await respond(talk, one, heard.length === 1);
    if (outcome === 'ended') return;
    if (outcome === 'missed') missed.push(one.read);
    else answered ||= outcome === 'said';
  }
  // People split one sentence over several messages, so the messages together may be a question with an answer.
  if (missed.length > 1 && (await answerQuestion(talk, missed.join(' ')))) missed.length = 0;
  if (missed.length > 0) {
    // Asking back is neither an answer nor a miss, so the count of misses stays the same.
    const question = missed.join(' ');
    if (!askBack(talk, question)) miss(talk, question);
  } else if (answered) talk.state.misses = currentStep(talk) === null ? 0 : talk.state.misses;
  if (talk.next === 'waiting_for_user' && talk.first && currentStep(talk) === null && startsOnOpen(talk))
    startSteps(talk);
};

const respond = async (talk: Talk, heard: Heard, alone: boolean): Promise<Outcome> => {
  const { text, read, words } = heard;
  const rule = ruleFor(talk, heard);
  const step = currentStep(talk);
  if (rule !== null && (step === null || outranksStep(rule))) return obey(talk, rule);
  if (mayHandOver(talk, heard)) {
    if (rule !== null) return obey(talk, rule) === 'ended' ? 'ended' : again(talk);
    handOff(talk, 'asked', 'The person asked for a person.');
    return 'ended';
  }
  if (asksToBegin(text)) return begin(talk, alone);
  if (step !== null) {
    // If the person asks a question instead of answering, the agent answers it first and then asks the step again.
    if (step.type === 'text' && isQuestion(read, words) && (await answerQuestion(talk, read))) return again(talk);
    if (acceptAnswer(talk, step, text, words)) return 'said';
    if (rule !== null) return obey(talk, rule) === 'ended' ? 'ended' : again(talk);
    if (isQuestion(read, words) && (await answerQuestion(talk, read))) return again(talk);
    refuseAnswer(talk, step, text, words);
    return tooManyMisses(talk) ? 'ended' : 'said';
  }
  const chosen = chosenFrom(talk, heard);
  if (chosen === 'something_else') return decline(talk);
  if (chosen !== null) {
    tellChosen(talk, chosen);
    return 'said';
  }
  if (isFile(text)) return alone ? chat(talk, 'file_received') : 'silent';
  const smallTalk = smallTalkIn(words);
  if (smallTalk !== null) return alone ? chat(talk, smallTalk) : 'silent';
  if (words.length === 0) return 'missed';
  if (await answerQuestion(talk, read)) return 'said';
  // "I want to book a table" starts the flow. Only a question is answered first.
  return talk.first && startsOnOpen(talk) && !isQuestion(read, words) ? 'silent' : 'missed';
};

/** The form in which the request names messages without text (TurnRequest.input). */
const isFile = (text: string): boolean => /^\[(?:image|audio|video|file)(?:: .*)?\]$/s.test(text);

/** The start button of a chat. If there is other text, that text is answered instead. */
const begin = (talk: Talk, alone: boolean): Outcome => {
  if (!alone) return 'silent';
  open(talk);
  return 'said';
};

const again = (talk: Talk): Outcome => {
  askCurrent(talk);
  return 'said';
};

const chat = (talk: Talk, kind: SmallTalk | 'file_received'): Outcome => {
  note(talk, 'small_talk', `This is small talk: ${kind}.`);
  const opening = talk.first && kind === 'greeting' ? ownText(talk, talk.definition.opening) : null;
  if (opening !== null) say(talk, opening);
  else if (!(talk.first && startsOnOpen(talk))) say(talk, talk.texts[kind]);
  return 'said';
};

const miss = (talk: Talk, question: string): void => {
  talk.state.misses++;
  noteMiss(talk, `Unanswered ${talk.state.misses} in a row.`, question);
  if (!tooManyMisses(talk)) doNotKnow(talk);
};

/**
 * The person meant none of the sections. The question has been in the list of unanswered questions since the agent
 * asked back.
 */
const decline = (talk: Talk): Outcome => {
  talk.state.misses++;
  note(talk, 'declined', 'The person chose none of the sections.', { misses: talk.state.misses });
  if (tooManyMisses(talk)) return 'ended';
  doNotKnow(talk);
  return 'silent';
};

const doNotKnow = (talk: Talk): void => say(talk, ownText(talk, talk.definition.dont_know) ?? talk.texts.dont_know);

const tooManyMisses = (talk: Talk): boolean => {
  const limit = talk.definition.hand_off?.after_misses;
  if (limit === undefined || talk.state.misses < limit) return false;
  talk.said.length = 0;
  handOff(talk, 'not_understood', `${talk.state.misses} answers in a row were not understood.`);
  return true;
};
