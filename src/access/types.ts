import type { Permission, KeyScope, Plan } from '../../contract/permissions.ts';
import type { EndUserInput, VariableDeclaration } from '../../contract/triggers.ts';
import type { Network } from './api-keys/networks.ts';

/** A verified key, with the facts about its organization that decisions need. */
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
  /** The networks from which the key may be used. Null: the key may be used from all networks. */
  readonly networks: readonly Network[] | null;
  /** The limits that only this key has. Null: the key has no limits. */
  readonly limits: CallerLimits | null;
  /**
   * The client token of this key that the call uses. The call has only the rights of the token. Absent: the call uses
   * the key itself.
   */
  readonly client?: ClientCaller;
};

/** The rights of a client token, which are a part of the rights of its key. */
export type ClientCaller = {
  readonly agentId: string;
  readonly triggerId: string;
  readonly endUser: EndUserInput;
  readonly conversationKey: string | null;
  /** True: the call comes from a page of one of the token's origins. */
  readonly isFromOwnPage: boolean;
  /** The mark of conversations that tokens of this key started for this person. */
  readonly mark: string;
};

export type CallerLimits = {
  readonly perMinute: number | null;
  readonly perEndUserPerMinute: number | null;
  readonly total: number | null;
};

/**
 * The requirements for the caller of a route. A route declares its requirements for the caller. The strings are the
 * names of path parameters.
 */
export type Need = {
  /** The permission that the family of routes needs. Absent: the route accepts any key (`GET /api/me`). */
  readonly permission?: Permission;
  readonly agent?: string;
  readonly trigger?: string;
  readonly channel?: string;
  readonly campaign?: string;
  /**
   * True: client tokens for the agent and trigger in the path may call the route. Absent: only keys may call the route.
   */
  readonly client?: true;
};

/** Facts about the records in a path, as cached in the directory. Deleted records are not in the directory. */
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
  readonly agentVersion: number | null;
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

/** The caller and the records that the path names, after access was granted. This is the input of a route handler. */
export type Admission = {
  readonly caller: Caller;
  /** The network address of the call in canonical form, for the fence. Null: the address is invalid. */
  readonly from: string | null;
  readonly agent: AgentFacts | null;
  readonly trigger: TriggerFacts | null;
  readonly channel: ChannelFacts | null;
  readonly campaign: CampaignFacts | null;
  /** The call's unit of the key's total. Absent: the call does not count in the total. */
  readonly counted?: CountedCall;
};

/** One call that was taken from a key's total. */
export type CountedCall = { readonly giveBack: () => void };

/** The kinds of subject whose change can turn a granted call into a refused call. */
export type SubjectKind = 'key' | 'organization' | 'agent' | 'trigger' | 'channel' | 'campaign';
export type Subject = { readonly kind: SubjectKind; readonly id: string };
