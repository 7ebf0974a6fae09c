import { Type, type Static } from 'typebox';
import {
  CAMPAIGN_STATES,
  CampaignSettings,
  type CampaignState,
  RECIPIENT_STATUSES,
  Recipient,
  RecipientCounts,
} from '../campaigns.ts';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import type { MessageContent } from '../messages.ts';
import { closed, Id, Moment, Nullable, PageQuery } from './shapes.ts';

export { CAMPAIGN_STATES, type CampaignState };

/** What can be done to a campaign, and from which states. Nothing leaves `ended`. */
export const CAMPAIGN_MOVES = {
  start: { from: ['draft'], to: 'live' },
  pause: { from: ['live'], to: 'paused' },
  resume: { from: ['paused'], to: 'live' },
  end: { from: ['draft', 'live', 'paused'], to: 'ended' },
} as const satisfies Record<string, { from: readonly CampaignState[]; to: CampaignState }>;
export type CampaignMove = keyof typeof CAMPAIGN_MOVES;

export const CampaignRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    channel_id: Type.String(),
    name: Type.String(),
    state: Type.Enum(CAMPAIGN_STATES),
    settings: CampaignSettings,
    /** Recipients by status and in all; only where one campaign is read. */
    counts: Type.Optional(RecipientCounts),
    total: Type.Optional(Type.Integer()),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'DashboardCampaign' },
);
export type CampaignRecord = Static<typeof CampaignRecord>;

const CampaignName = Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS });

export const CreateCampaignBody = Type.Object(
  { agent_id: Id('agent'), channel_id: Id('channel'), name: CampaignName },
  closed,
);
export type CreateCampaignBody = Static<typeof CreateCampaignBody>;

export const UpdateCampaignBody = Type.Object(
  {
    name: Type.Optional(CampaignName),
    /** In place of the stored ones, as a whole. */
    settings: Type.Optional(CampaignSettings),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateCampaignBody = Static<typeof UpdateCampaignBody>;

/** Settings, saved or not, and a person who would get the message. */
export const PreviewCampaignBody = Type.Object(
  {
    settings: CampaignSettings,
    /** The recipient's; absent: the campaign's. */
    time_zone: Type.Optional(Type.String({ format: 'time-zone', maxLength: 64 })),
    at: Type.Optional(Moment),
    end_user: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String({ maxLength: 200 })),
          locale: Type.Optional(Type.String({ format: 'locale' })),
        },
        closed,
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 100,
        propertyNames: { minLength: 1, maxLength: 64 },
      }),
    ),
  },
  closed,
);
export type PreviewCampaignBody = Static<typeof PreviewCampaignBody>;

export const CampaignPreview = Type.Object(
  {
    from: Moment,
    /** Null: never, by these hours. */
    goes_out_at: Nullable(Moment),
    /** Null: the agent's own opening. */
    opening: Nullable(Type.Unsafe<MessageContent>({ type: 'object' })),
  },
  { title: 'CampaignPreview' },
);
export type CampaignPreview = Static<typeof CampaignPreview>;

export const RecipientListQuery = PageQuery({
  status: Type.Optional(Type.Enum(RECIPIENT_STATUSES)),
  ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
});

/** The dashboard shows recipients as the public API does. */
export const RecipientRecord = Recipient;
