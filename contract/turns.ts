import { Type, type Static } from 'typebox';
import { Tag } from './end-users.ts';
import { Message, MessageContent } from './messages.ts';
import { Metadata } from './triggers.ts';

/** The provider of an agent whose turns the customer's own code answers. */
export const CODE_PROVIDER = 'http';
/** The signing secret of own code is stored under this name, with the secrets of tools. No tool can have this name. */
export const CODE_SECRET = 'code:turns';
export const MAX_TURN_SECONDS = 900;
/** One call to the customer's code ends after this time. An answer that takes longer is sent to `reply_url`. */
export const MAX_TURN_CALL_SECONDS = 100;
export const MAX_TURN_MESSAGES = 10;
/** The maximum equals the maximum of tags that members set. */
const MAX_TURN_TAGS = 20;
export const TURN_NEXT = ['wait', 'complete', 'hand_off'] as const;

const closed = { additionalProperties: false };
const nullable = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });

/** The answer of the customer's code to one turn. */
export const TurnAnswer = Type.Object(
  {
    messages: Type.Array(Type.Object({ content: MessageContent }, closed), {
      maxItems: MAX_TURN_MESSAGES,
      description: 'The messages of the agent, in the order of sending. Empty: the agent writes nothing.',
    }),
    next: Type.Optional(
      Type.Enum([...TURN_NEXT], {
        default: 'wait',
        description: 'Wait for the person, complete the conversation, or hand it over to your team.',
      }),
    ),
    result: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
        maxProperties: 50,
        description: 'Values of the result fields of the agent, by name. Null: no value.',
      }),
    ),
    tags: Type.Optional(Type.Array(Tag, { maxItems: MAX_TURN_TAGS, description: 'Tags to add to the conversation.' })),
  },
  { ...closed, title: 'TurnAnswer' },
);
export type TurnAnswer = Static<typeof TurnAnswer>;

/** The body of the POST that asks the customer's code for one turn. */
export const TurnRequested = Type.Object(
  {
    type: Type.Literal('turn.requested'),
    turn: Type.Object({
      id: Type.String({ description: 'The same in every attempt of one turn. It is also the header `webhook-id`.' }),
      attempt: Type.Integer({ description: 'Starts at 1.' }),
      deadline: Type.String({ format: 'date-time', description: 'Later answers are refused.' }),
      reply_url: Type.String({ description: 'Receives the answer if the response was 202.' }),
      reply_token: Type.String({ description: 'The bearer token for `reply_url`. It is valid for this turn only.' }),
    }),
    run: Type.Object({
      id: nullable('Null in a try.'),
      trigger_id: nullable("Null: the person's own message started the run."),
      variables: Type.Record(Type.String(), Type.Unknown()),
      metadata: Metadata,
    }),
    conversation: Type.Object({
      id: nullable('Null in a try.'),
      key: nullable(),
      locale: nullable(),
      channel_kind: nullable('Null in a try.'),
    }),
    end_user: Type.Object(
      { id: Type.String(), external_id: nullable() },
      { additionalProperties: true, description: 'Also has the fields in `end_user_fields` of the definition.' },
    ),
    messages: Type.Array(Message, { description: 'The newest messages of the conversation, oldest first.' }),
    approvals: Type.Optional(
      Type.Array(
        Type.Object({
          tool: Type.String(),
          arguments: Type.Record(Type.String(), Type.Unknown()),
          status: Type.Enum(['approved', 'denied']),
          reason: nullable(),
          result: nullable('What the tool returned. Null: the call was not made.'),
        }),
        { description: 'New decisions of the team about tool calls that a fallback requested. Absent: none.' },
      ),
    ),
  },
  { title: 'TurnRequested' },
);
export type TurnRequested = Static<typeof TurnRequested>;
