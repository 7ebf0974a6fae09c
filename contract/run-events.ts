import { type Static, Type } from 'typebox';
import { Message } from './messages.ts';
import { RunRecord } from './triggers.ts';

/** The events of a run's stream, by name, with the schemas of their data. */
export const RUN_EVENTS = {
  run: RunRecord,
  delta: Type.Object({ text: Type.String({ description: 'The next part of the text of the unfinished message.' }) }),
  replace: Type.Object({
    text: Type.String({
      description:
        'The whole text of the message so far. It replaces all earlier deltas. It is empty if they are removed because a tool is called, the person has written, or the turn failed.',
    }),
  }),
  message: Message,
};

export type RunEvents = { [Name in keyof typeof RUN_EVENTS]: Static<(typeof RUN_EVENTS)[Name]> };
