import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';

/** A campaign that can start or resume, and that has recipients, needs no other step before. */
export const isReadyToStart = ({ state, total }: CampaignRecord): boolean =>
  (state === 'draft' || state === 'paused') && (total ?? 0) > 0;
