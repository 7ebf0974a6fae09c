import type { Rule } from '../../../contract/agents.ts';
import type { Provider, TurnRequest, TurnResult } from '../provider.ts';
import { answerQuestion } from './answer-question.ts';
import { acceptAnswer, askCurrent, currentStep, refuseAnswer, startsOnOpen, startSteps } from './guide-steps.ts';
import { rulesOf } from './compile-rules.ts';
import { matchRules } from './match-rules.ts';
import {
  asksForPerson,
  asksToBegin,
  asksToStop,
  isQuestion,
  MAX_READ_CHARACTERS,
  MAX_STOP_CHARACTERS,
  readWords,
  type SmallTalk,
  smallTalkIn,
  type Words,
} from './phrases.ts';
import { beginTalk, builtIn, endTalk, note, ownText, say, type Talk } from './talk.ts';

/**
 * The deterministic agent: no key, no network, no model; the same request always gives the same turn. Each message goes
 * through one list and stops at the first match: stop words, a request for a human, rules, the answer to the current
 * step, small talk, knowledge. A message that matches nothing is a miss, and the agent says so.
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

/**
 * What is decided before a model is asked, so that stop words, a request for a human, rules and guided steps work the
 * same with every provider. When there is no turn the model answers; tags of rules are kept either way.
 */
export const decideBeforeModel = async (request: TurnRequest): Promise<{ turn: TurnResult | null; tags: string[] }> => {
  const talk = beginTalk(request);
  if (currentStep(talk) !== null || (talk.first && startsOnOpen(talk)))
    return { turn: await embeddedProvider.turn(request), tags: [] };
  if (asksToStopIn(request.input)) {
    optOut(talk, 'The person asked to stop.');
    return { turn: endTalk(talk), tags: [] };
  }
  for (const heard of heardIn(request.input)) {
    const rule = ruleFor(talk, heard);
    if (talk.definition.hand_off?.on_request !== false && asksForPerson(heard.words))
      handOff(talk, 'The person asked for a person.');
    else if (rule === null) continue;
    else obey(talk, rule);
    return { turn: endTalk(talk), tags: [] };
  }
  return { turn: null, tags: [...talk.tags] };
};

/** How many messages since the last turn are answered; of more, only the latest. */
const MAX_HEARD = 10;

/** For each message, and for all messages of one turn together: rules and intents stand at their beginnings. */
const MAX_READ_IN_TURN = 4_000;

/** "Stop" counts even when much text follows it. */
const asksToStopIn = (input: readonly string[]): boolean =>
  input.some((text) => text.trim().length <= MAX_STOP_CHARACTERS && asksToStop(readWords(text.trim())));

/** `read` is the beginning of the text, up to the limit for rules and intents. */
type Heard = { text: string; read: string; words: Words };

const heardIn = (input: readonly string[]): Heard[] => {
  const latest = input.slice(-MAX_HEARD);
  const each = Math.min(MAX_READ_CHARACTERS, Math.floor(MAX_READ_IN_TURN / latest.length));
  return latest.map((text) => {
    const read = text.slice(0, each);
    return { text, read, words: readWords(read) };
  });
};

/** `missed` is a question without an answer; `silent` needs none. */
type Outcome = 'said' | 'missed' | 'silent' | 'ended';

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
  if (asksToStopIn(input)) return optOut(talk, 'The person asked to stop.');
  const heard = heardIn(input);
  const missed: string[] = [];
  let answered = false;
  for (const one of heard) {
    const outcome = await respond(talk, one, heard.length === 1);
    if (outcome === 'ended') return;
    if (outcome === 'missed') missed.push(one.read);
    else answered ||= outcome === 'said';
  }
  // People split one sentence over several messages; together they may be a question that has an answer.
  if (missed.length > 1 && (await answerQuestion(talk, missed.join(' ')))) missed.length = 0;
  if (missed.length > 0) miss(talk, missed.join(' '));
  else if (answered) talk.state.misses = currentStep(talk) === null ? 0 : talk.state.misses;
  if (talk.next === 'waiting_for_user' && talk.first && currentStep(talk) === null && startsOnOpen(talk))
    startSteps(talk);
};

const respond = async (talk: Talk, heard: Heard, alone: boolean): Promise<Outcome> => {
  const { text, read, words } = heard;
  if (talk.definition.hand_off?.on_request !== false && asksForPerson(words)) {
    handOff(talk, 'The person asked for a person.');
    return 'ended';
  }
  const rule = ruleFor(talk, heard);
  const step = currentStep(talk);
  if (rule !== null && (step === null || outranksStep(rule))) return obey(talk, rule);
  if (asksToBegin(text)) return begin(talk, alone);
  if (step !== null) {
    // A question in place of an answer is answered first, then the step is asked again.
    if (step.type === 'text' && isQuestion(read, words) && (await answerQuestion(talk, read))) return again(talk);
    if (acceptAnswer(talk, step, text, words)) return 'said';
    if (rule !== null) return obey(talk, rule) === 'ended' ? 'ended' : again(talk);
    if (isQuestion(read, words) && (await answerQuestion(talk, read))) return again(talk);
    refuseAnswer(talk, step, text, words);
    return tooManyMisses(talk) ? 'ended' : 'said';
  }
  const smallTalk = smallTalkIn(words);
  if (smallTalk !== null) return alone ? chat(talk, smallTalk) : 'silent';
  if (words.length === 0) return 'missed';
  if (await answerQuestion(talk, read)) return 'said';
  // "I want to book a table" starts the flow; only a question must be answered first.
  return talk.first && startsOnOpen(talk) && !isQuestion(read, words) ? 'silent' : 'missed';
};

const ruleFor = (talk: Talk, { read, words }: Heard): Rule | null => {
  const compiled = rulesOf(talk.definition);
  const { rule, labels } = matchRules(compiled, read, words, talk.patterns);
  // Saving refuses both. For a definition that an older version stored, the fault is reported in the trace, where the
  // author looks for the reason.
  for (const { pointer, detail } of compiled.faults.slice(0, 1)) note(talk, 'rule_left_out', `${pointer}: ${detail}`);
  if (talk.patterns.steps <= 0) note(talk, 'patterns_stopped', 'The patterns took too long; not all were tried.');
  for (const label of labels) putLabel(talk, label);
  return rule;
};

const putLabel = (talk: Talk, rule: Rule): void => {
  note(talk, 'rule', `The rule "${rule.name}" fits.`, { rule: rule.name, action: rule.action ?? null });
  if (rule.tag !== undefined) talk.tags.add(rule.tag);
};

/** While a step waits, only a rule that ends the conversation has priority over the answer. */
const outranksStep = (rule: Rule): boolean =>
  rule.action === 'opt_out' || rule.action === 'hand_off' || rule.action === 'complete';

const obey = (talk: Talk, rule: Rule): Outcome => {
  putLabel(talk, rule);
  const reply = ownText(talk, rule.reply);
  if (rule.action === 'opt_out') {
    optOut(talk, `The rule "${rule.name}" opts out.`, reply);
    return 'ended';
  }
  if (rule.action === 'hand_off') {
    handOff(talk, `The rule "${rule.name}" hands over.`, reply);
    return 'ended';
  }
  if (reply !== null) say(talk, reply);
  if (rule.action === 'complete') {
    talk.state.step = null;
    talk.next = 'completed';
    if (reply === null) say(talk, talk.texts.completed);
    return 'ended';
  }
  if (rule.action === 'start_steps') startSteps(talk);
  return 'said';
};

/** The start button of a chat; any text sent with it is answered instead. */
const begin = (talk: Talk, alone: boolean): Outcome => {
  if (!alone) return 'silent';
  open(talk);
  return 'said';
};

const again = (talk: Talk): Outcome => {
  askCurrent(talk);
  return 'said';
};

const chat = (talk: Talk, kind: SmallTalk): Outcome => {
  note(talk, 'small_talk', `This is small talk: ${kind}.`);
  const opening = talk.first && kind === 'greeting' ? ownText(talk, talk.definition.opening) : null;
  if (opening !== null) say(talk, opening);
  else if (!(talk.first && startsOnOpen(talk))) say(talk, talk.texts[kind]);
  return 'said';
};

const miss = (talk: Talk, question: string): void => {
  talk.state.misses++;
  note(talk, 'miss', `Unanswered ${talk.state.misses} in a row.`, {
    misses: talk.state.misses,
    characters: question.length,
  });
  if (tooManyMisses(talk)) return;
  say(talk, ownText(talk, talk.definition.dont_know) ?? talk.texts.dont_know);
};

const tooManyMisses = (talk: Talk): boolean => {
  const limit = talk.definition.hand_off?.after_misses;
  if (limit === undefined || talk.state.misses < limit) return false;
  talk.said.length = 0;
  handOff(talk, `${talk.state.misses} answers in a row were not understood.`);
  return true;
};

const handOff = (talk: Talk, why: string, reply: string | null = null): void => {
  note(talk, 'hand_off', why);
  talk.state.misses = 0;
  talk.next = 'handed_off';
  say(talk, reply ?? ownText(talk, talk.definition.hand_off?.text) ?? talk.texts.hand_off);
};

const optOut = (talk: Talk, why: string, reply: string | null = null): void => {
  note(talk, 'opt_out', why);
  talk.optedOut = true;
  talk.state.step = null;
  talk.next = 'completed';
  say(talk, reply ?? talk.texts.opted_out);
};
