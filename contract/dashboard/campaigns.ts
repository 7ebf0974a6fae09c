import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import { closed, Id, Moment } from './shapes.ts';

export const CAMPAIGN_STATES = ['draft', 'live', 'paused', 'ended'] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

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

export const UpdateCampaignBody = Type.Object({ name: CampaignName }, closed);
