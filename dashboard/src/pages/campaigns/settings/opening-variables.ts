import type { CampaignSettings } from '../../../../../contract/campaigns.ts';

const MENTIONED = /\{\{[{#^&/]?\s*([a-zA-Z_]\w*)/g;

/** Variables of the recipient in the first words; fields of the person are not among them. */
export function openingVariables({ opening }: CampaignSettings): string[] {
  const names = [...JSON.stringify(opening ?? {}).matchAll(MENTIONED)].map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== 'end_user');
}
