import { isRecord } from '../../kernel/is-record.ts';
import type { SlotValue } from './read-answer.ts';

/** The state that the embedded provider needs in later turns is plain JSON, stored with the conversation. */
export type EmbeddedState = {
  /** The language of the person, if it differs from the language in which the conversation started. */
  language: string | null;
  /** The number of consecutive unanswered questions. */
  misses: number;
  /** The index of the current step. Null if no step is active. */
  step: number | null;
  /** True after the person has answered the last step. */
  steps_done: boolean;
  /** The values by the name of their step. Null for a skipped step. */
  slots: Record<string, SlotValue | null>;
  /** The sections that the last turn offered. Empty: the last turn offered no sections. */
  offered: Offered[];
  /** The question about which the agent asked back in the last turn. */
  asked: string | null;
};

/** `learn`: the passage to which the person's choice belongs. The state of an earlier release has no `learn`. */
export type Offered = {
  label: string;
  text: string;
  document: string;
  quote: string;
  learn?: { document_id: string; passage: string };
};

/**
 * Reads the stored state of the provider. A missing or damaged state, or a state from another provider, means a new
 * conversation.
 */
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
    offered: (Array.isArray(given['offered']) ? given['offered'] : []).filter(isOffered),
    asked: typeof given['asked'] === 'string' ? given['asked'] : null,
  };
};

const isOffered = (value: unknown): value is Offered =>
  isRecord(value) && ['label', 'text', 'document', 'quote'].every((name) => typeof value[name] === 'string');

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
