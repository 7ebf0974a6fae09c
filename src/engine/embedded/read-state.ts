import type { SlotValue } from './read-answer.ts';

/** What the embedded provider remembers between turns: plain JSON, stored with the conversation. */
export type EmbeddedState = {
  /** Language the person writes, when it is not the one the conversation was started in. */
  language: string | null;
  /** Unanswered questions in a row. */
  misses: number;
  /** Index of the step that is being asked; null when none is. */
  step: number | null;
  /** True once the steps were gone through. */
  steps_done: boolean;
  /** Values by step name; null for a skipped one. */
  slots: Record<string, SlotValue | null>;
};

/** Reads a stored state. A missing one is a new conversation; one that is damaged or from another provider too. */
export const readState = (stored: unknown): EmbeddedState => {
  const given = isRecord(stored) ? stored : {};
  const slots: Record<string, SlotValue | null> = {};
  for (const [name, value] of Object.entries(isRecord(given['slots']) ? given['slots'] : {})) {
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
      slots[name] = value as SlotValue | null;
  }
  return {
    language: typeof given['language'] === 'string' ? given['language'] : null,
    misses: count(given['misses']) ?? 0,
    step: count(given['step']),
    steps_done: given['steps_done'] === true,
    slots,
  };
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
