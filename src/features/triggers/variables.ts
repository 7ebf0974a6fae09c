import type { Fault } from '../../../contract/problems.ts';
import type { VariableDeclaration } from '../../../contract/triggers.ts';
import { isCalendarDay } from '../../kernel/calendar-day.ts';
import { isRecord } from '../../kernel/is-record.ts';
import { escapePointer } from '../../kernel/validation/faults.ts';

/**
 * Returns values for the variables that a trigger declares, which are the caller's values or the defaults. Unknown
 * names of variables are faults.
 */
export function checkVariables(
  declared: readonly VariableDeclaration[],
  given: Readonly<Record<string, unknown>> = {},
): { values: Record<string, unknown>; faults: Fault[] } {
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const known = new Set(declared.map((variable) => variable.name));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) faults.push(fault(name, 'unknown_field', 'The trigger declares no variable with this name.'));
  }
  for (const { name, type, required, default: fallback } of declared) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (fallback !== undefined) values[name] = fallback;
      else if (required) faults.push(fault(name, 'required', 'The trigger requires this variable.'));
    } else if (isOfType(type, value)) {
      values[name] = value;
    } else {
      faults.push(fault(name, 'type', `The variable must be ${TYPE_WORDS[type]}.`));
    }
  }
  return { values, faults };
}

/** Finds faults of the declarations, such as duplicate names, or defaults with another type. */
export function checkDeclarations(declared: readonly VariableDeclaration[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  declared.forEach(({ name, type, default: fallback }, index) => {
    const pointer = `/variables/${index}`;
    if (seen.has(name))
      faults.push({ pointer: `${pointer}/name`, code: 'duplicate', detail: 'This name is used twice.' });
    seen.add(name);
    if (fallback !== undefined && !isOfType(type, fallback)) {
      faults.push({ pointer: `${pointer}/default`, code: 'type', detail: `The default must be ${TYPE_WORDS[type]}.` });
    }
  });
  return faults;
}

const fault = (name: string, code: string, detail: string): Fault => ({
  pointer: `/variables/${escapePointer(name)}`,
  code,
  detail,
});

const TYPE_WORDS: Record<VariableDeclaration['type'], string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  date: 'a date such as 2026-11-21, or a moment in RFC 3339',
  object: 'an object',
  array: 'a list',
};

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

const isDayOrMoment = (text: string): boolean =>
  DATE.test(text) && isCalendarDay(text.slice(0, '2026-11-21'.length)) && !Number.isNaN(Date.parse(text));

function isOfType(type: VariableDeclaration['type'], value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && isDayOrMoment(value);
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
  }
}
