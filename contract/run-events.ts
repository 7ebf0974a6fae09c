import { type Static, Type } from 'typebox';
import { Message } from './messages.ts';
import { RunRecord } from './triggers.ts';

/** The events of a run's stream, by name, with the schemas of their data. */
export const RUN_EVENTS = {
  run: RunRecord,
  delta: Type.Object({ text: Type.String({ description: 'The next words of the message that is being written.' }) }),
  replace: Type.Object({
    text: Type.String({
      description:
        'All words of the message so far, instead of those sent before; empty when they are taken back, because a tool is called, the person has written, or the turn failed.',
    }),
  }),
  message: Message,
};

export type RunEvents = { [Name in keyof typeof RUN_EVENTS]: Static<(typeof RUN_EVENTS)[Name]> };
