import { Type, type TSchema } from 'typebox';

/** What an agent does while a person does not answer. */
export const MAX_REMINDERS = 3;
/** The limit is a month, so that a conversation without an answer ends. */
export const MAX_SILENT_MINUTES = 43_200;

const closed = { additionalProperties: false };
const Minutes = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_SILENT_MINUTES, description });

export const noReplyOf = <Text extends TSchema>(text: Text) =>
  Type.Object(
    {
      remind: Type.Optional(
        Type.Array(Type.Object({ after_minutes: Minutes('Since the last answer of the agent.'), text }, closed), {
          maxItems: MAX_REMINDERS,
        }),
      ),
      end_after_minutes: Type.Optional(Minutes('Since the last answer of the agent.')),
      // oxlint-disable-next-line unicorn/no-thenable -- the name on the wire, of a text
      then: Type.Optional(
        Type.Enum(['complete', 'hand_off'], {
          default: 'complete',
          description: 'How it ends: the run completes with the reason `no_reply`, or people take over.',
        }),
      ),
    },
    { ...closed, description: 'Reminders and an end for a person who does not answer.' },
  );
