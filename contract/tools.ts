import { Type, type Static } from 'typebox';

const nullable = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });

/** The facts about a tool call that Parley guarantees. A model can neither read nor change the context. */
export const ToolContext = Type.Object(
  {
    organization_id: Type.String(),
    agent_id: Type.String(),
    agent_version: Type.Union([Type.Integer(), Type.Null()], { description: 'The published version. Null: a draft.' }),
    conversation_id: nullable('Null in a try.'),
    run_id: nullable('Null in a try.'),
    channel: Type.Union([Type.Object({ id: Type.String(), kind: Type.String() }), Type.Null()]),
    end_user: Type.Object({
      id: Type.String(),
      external_id: nullable('Your own id of the person, as your backend gave it.'),
      address: nullable('Where the person writes from on this channel; null on the sandbox.'),
      address_verified: Type.Boolean({
        description: "True: the channel's provider guarantees that the person has written from this address.",
      }),
    }),
    idempotency_key: Type.String({ description: 'The same value in every attempt of one call.' }),
    attempt: Type.Integer({ description: 'Starts at 1. A turn that is repeated after a crash starts at 1 again.' }),
    try: Type.Boolean({ description: 'True: a member tests the agent or the tool with a fictional person.' }),
  },
  { title: 'ToolContext' },
);
export type ToolContext = Static<typeof ToolContext>;

/** The body of a tool call. */
export const ToolCall = Type.Object(
  { tool: Type.String(), arguments: Type.Record(Type.String(), Type.Unknown()), context: ToolContext },
  { title: 'ToolCall' },
);
export type ToolCall = Static<typeof ToolCall>;
