import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignState } from '../../../../contract/dashboard/campaigns.ts';
import { useWords } from '../../language/words.tsx';
import { words } from './words.ts';

const COLORS: Record<CampaignState, string> = { draft: 'gray', live: 'blue', paused: 'orange', ended: 'gray' };

export function CampaignStateBadge({ state }: { state: CampaignState }): ReactNode {
  const say = useWords(words);
  return <Badge color={COLORS[state]}>{say(`state_${state}`)}</Badge>;
}
