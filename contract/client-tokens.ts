import { Type, type Static } from 'typebox';
import { idPattern } from './ids.ts';
import { EndUserInput } from './triggers.ts';

export const MIN_CLIENT_TOKEN_SECONDS = 60;
export const MAX_CLIENT_TOKEN_SECONDS = 3_600;
export const MAX_CLIENT_TOKEN_ORIGINS = 10;
/** A token is sent in a header of every call, and all headers together have at most 16 KiB. */
export const MAX_CLIENT_TOKEN_CHARACTERS = 4_096;

const closed = { additionalProperties: false };

/** The body of POST /api/client-tokens. */
export const NewClientToken = Type.Object(
  {
    agent_id: Type.String({ pattern: idPattern('agent') }),
    trigger_id: Type.String({
      pattern: idPattern('trigger'),
      description: 'The only trigger that the token may call.',
    }),
    end_user: EndUserInput,
    conversation: Type.Optional(
      Type.Object(
        {
          key: Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'Every call of the token continues the conversation with this key, or starts it.',
          }),
        },
        closed,
      ),
    ),
    origins: Type.Array(
      Type.String({ minLength: 1, maxLength: 255, description: 'Scheme, host and port, e.g. https://shop.example.' }),
      {
        minItems: 1,
        maxItems: MAX_CLIENT_TOKEN_ORIGINS,
        description: 'The web pages that may use the token.',
      },
    ),
    expires_in: Type.Integer({
      minimum: MIN_CLIENT_TOKEN_SECONDS,
      maximum: MAX_CLIENT_TOKEN_SECONDS,
      description: 'Seconds until the token expires.',
    }),
  },
  { ...closed, title: 'NewClientToken' },
);
export type NewClientToken = Static<typeof NewClientToken>;

export const ClientToken = Type.Object(
  {
    token: Type.String({ description: 'The page sends it as `Authorization: Bearer`. Parley does not store it.' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'ClientToken' },
);
export type ClientToken = Static<typeof ClientToken>;
