import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Step } from '../../../contract/agents.ts';
import { renderTemplate } from '../templates.ts';
import { type Words } from '../read-words.ts';
import { asksToSkip } from './phrases.ts';
import { type AnswerContext, choiceLabel, readAnswer, type SlotValue } from './read-answer.ts';
import { builtIn, note, ownText, say, sayContent, type Talk } from './talk.ts';

/** Guided steps: asks one question at a time and reads each answer into its slot. A summary ends the flow. */

export const startsOnOpen = (talk: Talk): boolean =>
  talk.definition.steps !== undefined && talk.definition.steps.start !== 'by_rule' && !talk.state.steps_done;

/** Starts at the first question and forgets earlier answers. */
export const startSteps = (talk: Talk): void => {
  if (talk.definition.steps === undefined) return;
  talk.state.step = 0;
  talk.state.steps_done = false;
  talk.state.slots = {};
  note(talk, 'steps', 'The guided steps begin.');
  askCurrent(talk);
};

/** The step that waits for an answer. Null when no step waits. */
export const currentStep = (talk: Talk): Step | null => {
  const items = talk.definition.steps?.items;
  if (items === undefined || talk.state.step === null) return null;
  // The agent may have been edited between two turns.
  return items[talk.state.step] ?? null;
};

export const askCurrent = (talk: Talk): void => {
  const step = currentStep(talk);
  if (step !== null) ask(talk, step, ownText(talk, step.ask, shownSlots(talk)) ?? step.name);
};

/**
 * Tries to read the message as the answer to a step. Returns false when the message is not an answer. `refuseAnswer`
 * then sends the reason.
 */
export const acceptAnswer = (talk: Talk, step: Step, text: string, words: Words): boolean => {
  if (step.optional === true && asksToSkip(words)) {
    record(talk, step, null);
    return true;
  }
  const answer = readAnswer(step, text, words, contextOf(talk));
  if (!('value' in answer)) return false;
  record(talk, step, answer.value);
  return true;
};

/** Asks again, with the reason. */
export const refuseAnswer = (talk: Talk, step: Step, text: string, words: Words): void => {
  const answer = readAnswer(step, text, words, contextOf(talk));
  if ('value' in answer) return;
  talk.state.misses++;
  const skipping = step.optional !== true && asksToSkip(words);
  note(talk, 'slot_refused', `"${step.name}" was not understood: ${skipping ? 'skip' : answer.fault}.`, {
    slot: step.name,
    fault: skipping ? 'cannot_skip' : answer.fault,
  });
  const choices = (step.choices ?? []).map((choice) => choiceLabel(choice, talk.language)).join(', ');
  const why = skipping
    ? talk.texts.cannot_skip
    : builtIn(talk, talk.texts.faults[answer.fault], { choices, ...answer.bounds });
  const again = ownText(talk, step.ask_again, { ...shownSlots(talk), ...answer.bounds });
  const hint = step.optional === true ? ` ${talk.texts.skip_hint}` : '';
  ask(talk, step, again ?? `${why}${hint} ${ownText(talk, step.ask, shownSlots(talk)) ?? step.name}`);
};

const ask = (talk: Talk, step: Step, text: string): void => {
  if (step.type !== 'choice' || step.choices === undefined) return say(talk, text);
  const choices = step.choices.map((choice) => ({
    id: choice.id,
    label: choiceLabel(choice, talk.language).slice(0, 256),
  }));
  sayContent(talk, { type: 'choices', text, choices: choices.filter((choice) => choice.label !== '') });
};

const record = (talk: Talk, step: Step, value: SlotValue | null): void => {
  talk.state.slots[step.name] = value;
  talk.state.misses = 0;
  talk.state.step = (talk.state.step ?? 0) + 1;
  note(talk, 'slot', value === null ? `"${step.name}" was skipped.` : `"${step.name}" was answered.`, {
    slot: step.name,
    value,
  });
  if (currentStep(talk) === null) return finish(talk);
  askCurrent(talk);
};

const finish = (talk: Talk): void => {
  const shown = shownSlots(talk);
  talk.state.step = null;
  talk.state.steps_done = true;
  talk.next = 'completed';
  const own = ownText(talk, talk.definition.steps?.summary, { ...shown, slots: shown });
  const lines = talk.definition.steps!.items.map((step) => `${step.name}: ${shown[step.name] || talk.texts.skipped}`);
  say(talk, own ?? [talk.texts.summary, ...lines].join('\n'));
  note(talk, 'summary', 'All steps are answered.', { slots: { ...talk.state.slots } });
};

/** Slots in readable form: labels of choices, yes and no as words, and no value for a skipped slot. */
const shownSlots = (talk: Talk): Record<string, string> => {
  const shown: Record<string, string> = {};
  for (const step of talk.definition.steps?.items ?? []) {
    const value = talk.state.slots[step.name];
    if (value === undefined) continue;
    const choice = step.choices?.find((one) => one.id === value);
    if (choice !== undefined) shown[step.name] = renderTemplate(choiceLabel(choice, talk.language), {});
    else if (typeof value === 'boolean') shown[step.name] = value ? talk.texts.yes : talk.texts.no;
    else shown[step.name] = value === null ? '' : String(value);
  }
  return shown;
};

const contextOf = (talk: Talk): AnswerContext => {
  const { request } = talk;
  const person = request.variables['end_user'] as { time_zone?: unknown; phone?: unknown } | undefined;
  const region = /[-_]([A-Za-z]{2})$/.exec(request.locale ?? request.end_user.locale ?? '')?.[1]?.toUpperCase();
  const known = typeof person?.phone === 'string' ? parsePhoneNumberFromString(person.phone)?.country : undefined;
  const country: CountryCode | undefined = region !== undefined && isSupportedCountry(region) ? region : known;
  return {
    now: request.now,
    timeZone: typeof person?.time_zone === 'string' ? person.time_zone : null,
    country: country ?? null,
    language: talk.language,
    monthFirst: region === 'US',
  };
};
