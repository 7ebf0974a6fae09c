import type { AgentDefinition } from '../../contract/agents.ts';
import { readState } from '../engine/embedded/read-state.ts';
import { renderText, type Variables } from '../engine/templates.ts';

type NoReply = NonNullable<AgentDefinition['no_reply']>;
type Reminder = NonNullable<NoReply['remind']>[number];

export type SilentStep = { kind: 'remind'; text: Reminder['text'] } | { kind: 'complete' } | { kind: 'hand_off' };

/** The step that is due after `steps` earlier steps. Null: all steps are over. */
export function silentStep({ no_reply: noReply }: AgentDefinition, steps: number): SilentStep | null {
  const reminder = noReply?.remind?.[steps];
  if (reminder) return { kind: 'remind', text: reminder.text };
  return noReply?.end_after_minutes === undefined ? null : { kind: noReply.then ?? 'complete' };
}

/** The text of a reminder in the language of the person. Null: the text would be empty. */
export const reminderText = (
  text: Reminder['text'],
  { state, locale, variables }: { state: unknown; locale: string | null; variables: Variables },
): string | null => {
  const words = renderText(text, readState(state).language ?? locale, variables);
  return words?.trim() ? words : null;
};

/**
 * The minutes from one step to the next. Null: there is no next step. If a step waits for the end of quiet hours, the
 * later steps are delayed by the same time.
 */
export function minutesToStep({ no_reply: noReply }: AgentDefinition, steps: number): number | null {
  const { remind = [], end_after_minutes: end } = noReply ?? {};
  const times = [0, ...remind.map((one) => one.after_minutes), ...(end === undefined ? [] : [end])];
  const [before, next] = [times[steps], times[steps + 1]];
  return before === undefined || next === undefined ? null : Math.max(0, next - before);
}
