import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import type { Step } from '../../../contract/agents.ts';
import { asciiDigits, foldText } from '../knowledge/fold-text.ts';
import { chooseText } from '../templates.ts';
import type { AnswerFault } from './built-in-texts.ts';
import { namesOf } from './choice-names.ts';
import { MAX_READ_CHARACTERS, type Words } from '../read-words.ts';
import { yesOrNo } from './phrases.ts';
import { addDays, dayIn, readDate } from './read-date.ts';
import { readNumber } from './read-number.ts';

/**
 * The value of a slot, which is text, a number, an ISO date, an E.164 phone number, an e-mail address, the ID of a
 * choice, or yes or no.
 */
export type SlotValue = string | number | boolean;
export type Answer = { value: SlotValue } | { fault: AnswerFault; bounds: { min?: SlotValue; max?: SlotValue } };

export type AnswerContext = {
  now: Date;
  timeZone: string | null;
  /** The country whose national phone numbers are accepted, such as `QA`. Null: a country code is required. */
  country: string | null;
  language: string | null;
  monthFirst: boolean;
};

/**
 * Reads a message as the answer to one step. `min` and `max` limit the value of a number, the length of a text, or the
 * days from today for a date.
 */
export const readAnswer = (step: Step, text: string, words: Words, context: AnswerContext): Answer => {
  const whole = text.trim();
  if (whole === '') return fault('empty');
  if (step.type === 'text') return boundedText(step, whole);
  const trimmed = whole.slice(0, MAX_READ_CHARACTERS);
  if (step.type === 'number') return boundedNumber(step, readNumber(trimmed, words));
  if (step.type === 'date') return boundedDate(step, trimmed, words, context);
  if (step.type === 'phone') return valueOr(readPhone(trimmed, context.country), 'phone');
  if (step.type === 'email') return valueOr(readEmail(trimmed), 'email');
  if (step.type === 'yes_no') return valueOr(yesOrNo(words), 'yes_no');
  return valueOr(readChoice(step, trimmed, words), 'choice');
};

/** Returns the label of a choice in the given language. */
export const choiceLabel = (choice: NonNullable<Step['choices']>[number], language: string | null): string =>
  chooseText(choice.label, language) ?? choice.id;

/** A slot has the length of a form field, not of a document. */
const MAX_TEXT_ANSWER = 2_000;

const fault = (kind: AnswerFault, bounds: { min?: SlotValue; max?: SlotValue } = {}): Answer => ({
  fault: kind,
  bounds,
});

const valueOr = (value: SlotValue | null, kind: AnswerFault): Answer => (value === null ? fault(kind) : { value });

const boundedNumber = (step: Step, value: number | null): Answer => {
  if (value === null) return fault('number');
  if (step.min !== undefined && value < step.min) return fault('too_small', { min: step.min });
  if (step.max !== undefined && value > step.max) return fault('too_large', { max: step.max });
  return { value };
};

const boundedDate = (step: Step, text: string, words: Words, context: AnswerContext): Answer => {
  const value = readDate(text, words, context.now, context);
  if (value === null) return fault('date');
  const today = dayIn(context.now, context.timeZone);
  const min = step.min === undefined ? undefined : addDays(today, step.min);
  const max = step.max === undefined ? undefined : addDays(today, step.max);
  if (min !== undefined && value < min) return fault('too_early', { min });
  if (max !== undefined && value > max) return fault('too_late', { max });
  return { value };
};

const boundedText = (step: Step, value: string): Answer => {
  const max = Math.min(step.max ?? MAX_TEXT_ANSWER, MAX_TEXT_ANSWER);
  if (step.min !== undefined && value.length < step.min) return fault('too_short', { min: step.min });
  if (value.length > max) return fault('too_long', { max });
  return { value };
};

const readPhone = (text: string, country: string | null): string | null => {
  const written = /[+\d(][\d\s().\-/]{5,30}\d/.exec(asciiDigits(text).replace(/[\u200e\u200f\u202a-\u202e]/g, ''))?.[0];
  if (written === undefined) return null;
  const international = written.replace(/^\s*00(?=[1-9])/, '+');
  const phone = parsePhoneNumberFromString(international, (country ?? undefined) as CountryCode | undefined);
  if (phone?.isValid()) return phone.number;
  // Many people write a country code without the plus sign.
  const guessed = parsePhoneNumberFromString(`+${international.replace(/\D/g, '')}`);
  return guessed?.isValid() === true ? guessed.number : null;
};

const readEmail = (text: string): string | null => {
  const found = /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u.exec(
    text,
  )?.[0];
  if (found === undefined || found.startsWith('.') || found.includes('..') || found.includes('.@')) return null;
  const at = found.lastIndexOf('@');
  return found.slice(0, at) + found.slice(at).toLowerCase();
};

const readChoice = (step: Step, text: string, words: Words): string | null => {
  const choices = step.choices ?? [];
  const joined = words.join(' ');
  const folded = foldText(text);
  const { names } = namesOf(step);
  const exact = names.findIndex((list, index) => choices[index]!.id === text || list.includes(joined));
  if (exact >= 0) return choices[exact]!.id;
  const position = /^#?(\d{1,2})[.)]?$/.exec(folded)?.[1];
  if (position !== undefined) return choices[Number(position) - 1]?.id ?? null;
  const padded = ` ${joined} `;
  const within = longestWithin(names, padded);
  const part = within ?? unique(names, (name) => joined.length >= 3 && ` ${name}`.includes(` ${joined}`));
  const close = part ?? unique(names, (name) => name.length >= 4 && oneSlip(name, joined));
  return close === null ? null : choices[close]!.id;
};

/**
 * "extra large please" contains both "large" and "extra large". The result is the longest name, unless two different
 * names of this length occur.
 */
const longestWithin = (names: readonly string[][], padded: string): number | null => {
  const named = names.flatMap((list, index) =>
    list.filter((name) => name !== '' && padded.includes(` ${name} `)).map((name) => ({ name, index })),
  );
  const longest = named.toSorted((a, b) => b.name.length - a.name.length)[0];
  if (longest === undefined) return null;
  const other = named.some(({ name, index }) => index !== longest.index && !` ${longest.name} `.includes(` ${name} `));
  return other ? null : longest.index;
};

const unique = (names: readonly string[][], fits: (name: string) => boolean): number | null => {
  const fitting = names.flatMap((list, index) => (list.some(fits) ? [index] : []));
  return fitting.length === 1 ? fitting[0]! : null;
};

/** True if one letter was added, left out or changed, or two neighboring letters were swapped. */
const oneSlip = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  );
};
