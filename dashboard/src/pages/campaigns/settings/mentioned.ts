import type { CampaignSettings } from '../../../../../contract/campaigns.ts';

const MENTIONED = /\{\{[{#^&/]?\s*([a-zA-Z_]\w*)/g;

/** Variables that the first words mention, for the caller to bring; the person is there without. */
export function mentionedIn({ opening }: CampaignSettings): string[] {
  const names = [...JSON.stringify(opening ?? {}).matchAll(MENTIONED)].map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== 'end_user');
}
