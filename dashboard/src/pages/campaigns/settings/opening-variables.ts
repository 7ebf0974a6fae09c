import type { CampaignSettings } from '../../../../../contract/campaigns.ts';

const MENTIONED = /\{\{[{#^&/]?\s*([a-zA-Z_]\w*)/g;

/** Returns the recipient's variables in the opening, without the fields of the person. */
export function openingVariables({ opening }: CampaignSettings): string[] {
  const names = [...JSON.stringify(opening ?? {}).matchAll(MENTIONED)].map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== 'end_user');
}
