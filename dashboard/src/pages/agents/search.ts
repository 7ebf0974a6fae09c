import { oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

type AgentsSearch = { text?: string; cursor?: string; create?: string };
export const readAgentsSearch = (raw: RawSearch): AgentsSearch => ({
  text: textIn(raw, 'text'),
  cursor: textIn(raw, 'cursor'),
  create: raw['create'] === undefined ? undefined : '',
});

export const AGENT_TABS = [
  'behaviour',
  'knowledge',
  'steps',
  'rules',
  'tools',
  'tests',
  'versions',
  'settings',
] as const;
export type AgentTab = (typeof AGENT_TABS)[number];
export type AgentSearch = { tab?: AgentTab; text?: string; cursor?: string };
export const readAgentSearch = (raw: RawSearch): AgentSearch => ({
  tab: oneOfIn(raw, 'tab', AGENT_TABS),
  text: textIn(raw, 'text'),
  cursor: textIn(raw, 'cursor'),
});
