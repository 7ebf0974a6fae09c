import type { Permission, KeyScope, Plan } from '../../contract/permissions.ts';
import type { VariableDeclaration } from '../../contract/triggers.ts';
import type { Network } from './keys/networks.ts';

/** A verified key with the facts about its organization that decisions need. */
export type Caller = {
  readonly keyId: string;
  readonly orgId: string;
  readonly orgName: string;
  readonly plan: Plan;
  readonly label: string;
  readonly prefix: string;
  readonly scope: KeyScope;
  readonly agentId: string | null;
  readonly campaignId: string | null;
  readonly permissions: readonly Permission[];
  /** From where it may be used; null: from everywhere. */
  readonly networks: readonly Network[] | null;
};

/** What a route asks of its caller; declared on the route. The strings are names of path parameters. */
export type Need = {
  /** The family's permission; absent: any key will do (`GET /api/me`). */
  readonly permission?: Permission;
  readonly agent?: string;
  readonly trigger?: string;
  readonly channel?: string;
  readonly campaign?: string;
};

/** Facts about what a path names, as the directory knows them. Deleted things are not in it. */
export type AgentFacts = {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly sandboxChannelId: string | null;
};
export type TriggerFacts = {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly variables: readonly VariableDeclaration[];
  readonly channelId: string | null;
};
export type ChannelFacts = {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly kind: string;
  readonly name: string;
  readonly enabled: boolean;
};
export type CampaignFacts = {
  readonly id: string;
  readonly orgId: string;
  readonly agentId: string;
  readonly channelId: string;
  readonly state: string;
};

/** Who calls and what the path names, once access was granted: what a route handler starts from. */
export type Admission = {
  readonly caller: Caller;
  /** The network address that the call came from, in its one form, for the fence; null: it cannot be read. */
  readonly from: string | null;
  readonly agent: AgentFacts | null;
  readonly trigger: TriggerFacts | null;
  readonly channel: ChannelFacts | null;
  readonly campaign: CampaignFacts | null;
};

/** The kinds of subject whose change can turn a yes into a no. */
export type SubjectKind = 'key' | 'organization' | 'agent' | 'trigger' | 'channel' | 'campaign';
export type Subject = { readonly kind: SubjectKind; readonly id: string };
