import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignState } from '../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../language/texts.tsx';
import { texts } from './texts.ts';

const COLORS: Record<CampaignState, string> = { draft: 'gray', live: 'blue', paused: 'orange', ended: 'gray' };

export function CampaignStateBadge({ state }: { state: CampaignState }): ReactNode {
  const say = useTexts(texts);
  return <Badge color={COLORS[state]}>{say(`state_${state}`)}</Badge>;
}
