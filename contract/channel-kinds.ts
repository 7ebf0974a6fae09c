import { Type, type TSchema } from 'typebox';
import { WebChatSettings } from './chat.ts';

/**
 * All kinds of channels, with the settings that connect a channel. The server validates channels with the schemas of
 * this file. The dashboard creates its forms from the schemas, and the command line creates its help. The code of each
 * kind is in src/channels/. The fields in `secretFields` are encrypted in the database and never shown again. The
 * fields in `addressFields` contain the server address of the provider. Stored secrets are valid only for the stored
 * addresses. When an address changes, every secret must be entered again.
 */
export type ChannelForm = {
  readonly settings: TSchema;
  readonly secretFields: readonly string[];
  readonly addressFields: readonly string[];
  /**
   * The end-user field that contains the address for this kind. Absent: the end user's record does not contain the
   * address.
   */
  readonly personField?: PersonField;
  /** True: the database is the channel, so a message counts as delivered when it is stored. */
  readonly byStoring?: true;
};

export type PersonField = 'email' | 'phone';

const closed = { additionalProperties: false };
const url = (description: string) =>
  Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048, description });
const ownServer = (provider: string) =>
  Type.Optional(url(`Only if you reach ${provider} through your own server or proxy.`));

/**
 * The URL has no user name, password or fragment. At each call, kernel/egress checks whether the address is allowed.
 */
const webhookUrl = Type.String({
  format: 'uri',
  pattern: '^https?://[^/?#@\\\\]+([/?][^#]*)?$',
  maxLength: 2048,
  description: 'Your https URL for the messages, without user name, password or #fragment.',
});

/** A form of e-mail address that every mail server accepts. */
export const EMAIL_PATTERN = '^[^\\s@<>",;:\\\\()\\[\\]]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$';

const email = Type.Object(
  {
    host: Type.String({
      pattern: '^[A-Za-z0-9.:\\-]{1,253}$',
      description: 'Name of the SMTP server, such as smtp.example.com.',
    }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Default: 465 for tls, otherwise 587.' }),
    ),
    security: Type.Optional(
      Type.Union([Type.Literal('tls'), Type.Literal('starttls'), Type.Literal('none')], {
        description: 'tls (default), starttls, or none (only for hosts that the operator allows).',
      }),
    ),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Only if the server requires one.' }),
    ),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Only if the server requires one.' }),
    ),
    from: Type.String({
      pattern: EMAIL_PATTERN,
      maxLength: 254,
      description: 'Sender address, for example support@example.com.',
    }),
    from_name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, format: 'line', description: 'Sender name.' }),
    ),
    subject: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'The subject of e-mails without their own subject.' }),
    ),
  },
  closed,
);

export const CHANNEL_FORMS = {
  sandbox: { settings: Type.Object({}, closed), secretFields: [], addressFields: [], byStoring: true },
  web_chat: { settings: WebChatSettings, secretFields: [], addressFields: [] },
  webhook: {
    settings: Type.Object({ url: webhookUrl }, closed),
    secretFields: [],
    addressFields: ['url'],
  },
  telegram: {
    settings: Type.Object(
      {
        bot_token: Type.String({
          pattern: '^[0-9]{4,20}:[A-Za-z0-9_-]{20,80}$',
          description: 'From @BotFather, such as 123456789:AA….',
        }),
        api_url: ownServer('the Bot API'),
      },
      closed,
    ),
    secretFields: ['bot_token'],
    addressFields: ['api_url'],
  },
  whatsapp: {
    settings: Type.Object(
      {
        phone_number_id: Type.String({
          pattern: '^[0-9]{5,20}$',
          description: '5 to 20 digits, from WhatsApp → API setup in the app dashboard; not the phone number itself.',
        }),
        access_token: Type.String({
          minLength: 20,
          maxLength: 1000,
          description: 'A permanent token of a system user with whatsapp_business_messaging, of 20 or more characters.',
        }),
        app_secret: Type.String({
          pattern: '^[0-9a-f]{32}$',
          description: 'App settings → Basic: 32 characters, 0-9 and a-f.',
        }),
        business_account_id: Type.Optional(
          Type.String({
            pattern: '^[0-9]{5,20}$',
            description:
              'WhatsApp → API setup, WhatsApp Business Account ID: 5 to 20 digits. Lists the templates of the account.',
          }),
        ),
        api_url: ownServer('the Cloud API'),
      },
      closed,
    ),
    secretFields: ['access_token', 'app_secret'],
    addressFields: ['api_url'],
    personField: 'phone',
  },
  sms: {
    settings: Type.Object(
      {
        account_sid: Type.String({
          pattern: '^AC[0-9a-fA-F]{32}$',
          description: 'Twilio console, Account info: AC and 32 characters.',
        }),
        auth_token: Type.String({
          pattern: '^[0-9a-fA-F]{32}$',
          description: 'Twilio console, Account info: 32 characters.',
        }),
        from: Type.String({
          pattern: '^(\\+[1-9][0-9]{6,14}|MG[0-9a-fA-F]{32})$',
          description: 'A number of the account (+…), or the sid of a messaging service (MG…).',
        }),
        api_url: ownServer('Twilio'),
      },
      closed,
    ),
    secretFields: ['auth_token'],
    addressFields: ['api_url'],
    personField: 'phone',
  },
  slack: {
    settings: Type.Object(
      {
        bot_token: Type.String({
          pattern: '^xoxb-[A-Za-z0-9-]{10,200}$',
          description:
            'OAuth & Permissions → Bot User OAuth Token, which starts with xoxb-; needs the scopes chat:write and im:history, and files:read for the files that people send.',
        }),
        signing_secret: Type.String({
          pattern: '^[0-9a-f]{32}$',
          description: 'Basic Information → App Credentials: 32 characters, 0-9 and a-f.',
        }),
        api_url: ownServer('the Web API'),
      },
      closed,
    ),
    secretFields: ['bot_token', 'signing_secret'],
    addressFields: ['api_url'],
  },
  email: {
    settings: email,
    secretFields: ['password'],
    addressFields: ['host', 'port', 'security'],
    personField: 'email',
  },
} as const satisfies Record<string, ChannelForm>;

export type ChannelKindName = keyof typeof CHANNEL_FORMS;
export const CHANNEL_KINDS = Object.keys(CHANNEL_FORMS) as ChannelKindName[];
export const isChannelKind = (kind: string): kind is ChannelKindName => Object.hasOwn(CHANNEL_FORMS, kind);

/** Lists the kinds whose address is the given field of an end user. */
export const kindsBy = (field: PersonField): readonly string[] =>
  CHANNEL_KINDS.filter((kind) => (CHANNEL_FORMS[kind] as ChannelForm).personField === field);

/** Lists the addresses that Parley calls for a channel with the given settings, one text per address field. */
export function channelAddresses(kind: string, settings: Readonly<Record<string, unknown>>): string[] {
  const fields: readonly string[] = isChannelKind(kind) ? CHANNEL_FORMS[kind].addressFields : [];
  return fields.map((name) => JSON.stringify(settings[name] ?? null));
}

/** A field of a kind's form, with the data that a form or a help text shows. */
export type ChannelField = {
  name: string;
  required: boolean;
  secret: boolean;
  /** True: the field contains the server address. After a change of this field, the secrets must be entered again. */
  address: boolean;
  /**
   * The type `list` is a list of texts. The type `other` is an object. A separate form or the command line sets a field
   * of the type `other`.
   */
  type: 'text' | 'number' | 'choice' | 'boolean' | 'list' | 'other';
  choices: readonly string[];
  description: string;
};

type Shown = {
  type?: string;
  description?: string;
  items?: { type?: string };
  anyOf?: readonly { const?: unknown }[];
  enum?: readonly unknown[];
};

/** Lists the fields of a kind, in the order of its form. */
export function channelFields(kind: ChannelKindName): ChannelField[] {
  const { settings, secretFields, addressFields }: ChannelForm = CHANNEL_FORMS[kind];
  const { properties = {}, required = [] } = settings as { properties?: Record<string, Shown>; required?: string[] };
  return Object.entries(properties).map(([name, shown]) => ({
    name,
    required: required.includes(name),
    secret: secretFields.includes(name),
    address: addressFields.includes(name),
    ...typeOf(shown),
    description: shown.description ?? '',
  }));
}

function typeOf({ type, items, anyOf, enum: values }: Shown): Pick<ChannelField, 'type' | 'choices'> {
  const choices = values ?? anyOf?.map((one) => one.const);
  if (choices?.every((one) => typeof one === 'string')) return { type: 'choice', choices };
  if (type === 'integer' || type === 'number') return { type: 'number', choices: [] };
  if (type === 'array' && items?.type === 'string') return { type: 'list', choices: [] };
  if (type === 'boolean') return { type: 'boolean', choices: [] };
  return { type: type === 'string' ? 'text' : 'other', choices: [] };
}
