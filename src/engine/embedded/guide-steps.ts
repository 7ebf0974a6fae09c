import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Step } from '../../../contract/agents.ts';
import { renderTemplate } from '../templates.ts';
import { type Words } from '../read-words.ts';
import { asksToSkip } from './phrases.ts';
import { type AnswerContext, choiceLabel, readAnswer, type SlotValue } from './read-answer.ts';
import { builtIn, note, ownText, say, sayContent, type EmbeddedTurn } from './embedded-turn.ts';

/**
 * Guides the person through steps, asking one question at a time and storing each answer in its slot. The last of the
 * guided steps is a summary.
 */

export const startsOnOpen = (turn: EmbeddedTurn): boolean =>
  turn.definition.steps !== undefined && turn.definition.steps.start !== 'by_rule' && !turn.state.steps_done;

/** Starts at the first question and removes earlier answers. */
export const startSteps = (turn: EmbeddedTurn): void => {
  if (turn.definition.steps === undefined) return;
  turn.state.step = 0;
  turn.state.steps_done = false;
  turn.state.slots = {};
  note(turn, 'steps', 'The guided steps begin.');
  askCurrent(turn);
};

/** Returns the step that waits for an answer. Null if no step waits. */
export const currentStep = (turn: EmbeddedTurn): Step | null => {
  const items = turn.definition.steps?.items;
  if (items === undefined || turn.state.step === null) return null;
  // The definition of the agent may have changed between two turns.
  return items[turn.state.step] ?? null;
};

export const askCurrent = (turn: EmbeddedTurn): void => {
  const step = currentStep(turn);
  if (step !== null) ask(turn, step, ownText(turn, step.ask, shownSlots(turn)) ?? step.name);
};

/**
 * Tries to read the message as the answer to a step. Returns false if the message is not an answer. If the message is
 * not an answer, `refuseAnswer` sends the reason.
 */
export const acceptAnswer = (turn: EmbeddedTurn, step: Step, text: string, words: Words): boolean => {
  if (step.optional === true && asksToSkip(words)) {
    record(turn, step, null);
    return true;
  }
  const answer = readAnswer(step, text, words, contextOf(turn));
  if (!('value' in answer)) return false;
  record(turn, step, answer.value);
  return true;
};

/** Asks the question of the step again, with the reason. */
export const refuseAnswer = (turn: EmbeddedTurn, step: Step, text: string, words: Words): void => {
  const answer = readAnswer(step, text, words, contextOf(turn));
  if ('value' in answer) return;
  turn.state.misses++;
  const skipping = step.optional !== true && asksToSkip(words);
  note(turn, 'slot_refused', `"${step.name}" was not understood: ${skipping ? 'skip' : answer.fault}.`, {
    slot: step.name,
    fault: skipping ? 'cannot_skip' : answer.fault,
  });
  const choices = (step.choices ?? []).map((choice) => choiceLabel(choice, turn.language)).join(', ');
  const why = skipping
    ? turn.texts.cannot_skip
    : builtIn(turn, turn.texts.faults[answer.fault], { choices, ...answer.bounds });
  const again = ownText(turn, step.ask_again, { ...shownSlots(turn), ...answer.bounds });
  const hint = step.optional === true ? ` ${turn.texts.skip_hint}` : '';
  ask(turn, step, again ?? `${why}${hint} ${ownText(turn, step.ask, shownSlots(turn)) ?? step.name}`);
};

const ask = (turn: EmbeddedTurn, step: Step, text: string): void => {
  if (step.type !== 'choice' || step.choices === undefined) return say(turn, text);
  const choices = step.choices.map((choice) => ({
    id: choice.id,
    label: choiceLabel(choice, turn.language).slice(0, 256),
  }));
  sayContent(turn, { type: 'choices', text, choices: choices.filter((choice) => choice.label !== '') });
};

const record = (turn: EmbeddedTurn, step: Step, value: SlotValue | null): void => {
  turn.state.slots[step.name] = value;
  turn.state.misses = 0;
  turn.state.step = (turn.state.step ?? 0) + 1;
  note(turn, 'slot', value === null ? `"${step.name}" was skipped.` : `"${step.name}" was answered.`, {
    slot: step.name,
    value,
  });
  if (currentStep(turn) === null) return finish(turn);
  askCurrent(turn);
};

const finish = (turn: EmbeddedTurn): void => {
  const shown = shownSlots(turn);
  turn.state.step = null;
  turn.state.steps_done = true;
  turn.next = 'completed';
  const own = ownText(turn, turn.definition.steps?.summary, { ...shown, slots: shown });
  const lines = turn.definition.steps!.items.map((step) => `${step.name}: ${shown[step.name] || turn.texts.skipped}`);
  say(turn, own ?? [turn.texts.summary, ...lines].join('\n'));
  note(turn, 'summary', 'All steps are answered.', { slots: { ...turn.state.slots } });
};

/** Shows slots in readable form, with labels of choices, yes and no as words, and no value for a skipped slot. */
const shownSlots = (turn: EmbeddedTurn): Record<string, string> => {
  const shown: Record<string, string> = {};
  for (const step of turn.definition.steps?.items ?? []) {
    const value = turn.state.slots[step.name];
    if (value === undefined) continue;
    const choice = step.choices?.find((one) => one.id === value);
    if (choice !== undefined) shown[step.name] = renderTemplate(choiceLabel(choice, turn.language), {});
    else if (typeof value === 'boolean') shown[step.name] = value ? turn.texts.yes : turn.texts.no;
    else shown[step.name] = value === null ? '' : String(value);
  }
  return shown;
};

const contextOf = (turn: EmbeddedTurn): AnswerContext => {
  const { request } = turn;
  const endUser = request.variables['end_user'] as { time_zone?: unknown; phone?: unknown } | undefined;
  const region = /[-_]([A-Za-z]{2})$/.exec(request.locale ?? request.end_user.locale ?? '')?.[1]?.toUpperCase();
  const known = typeof endUser?.phone === 'string' ? parsePhoneNumberFromString(endUser.phone)?.country : undefined;
  const country: CountryCode | undefined = region !== undefined && isSupportedCountry(region) ? region : known;
  return {
    now: request.now,
    timeZone: typeof endUser?.time_zone === 'string' ? endUser.time_zone : null,
    country: country ?? null,
    language: turn.language,
    monthFirst: region === 'US',
  };
};
