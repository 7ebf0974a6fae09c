import type { AgentsDeps } from '../../features/agents/agents.ts';
import type { CampaignsDeps } from '../../features/campaigns/campaigns.ts';
import type { ChannelMessages } from '../../features/channel-messages/channel-messages.ts';
import type { ChannelsDeps } from '../../features/channels/channels.ts';
import type { MembersDeps } from '../../features/members/members.ts';
import type { ModelsDeps } from '../../features/models/models.ts';
import type { OrganizationsDeps } from '../../features/organizations/organizations.ts';
import type { SignInDeps } from '../../features/sign-in/sign-in.ts';
import type { SecondFactorDeps } from '../../features/second-factor/second-factor.ts';
import type { WebhooksDeps } from '../../features/webhooks/webhooks.ts';
import type { EndUsers } from '../../features/end-users/end-users.ts';
import type { CampaignSettings } from '../../../contract/campaigns.ts';
import type { CampaignPreview, PreviewCampaignBody } from '../../../contract/dashboard/campaigns.ts';
import type { KeyUsage } from '../../../contract/dashboard/keys.ts';
import type { ChangeWatch } from '../../features/changes/watch-changes.ts';
import type { ApiKeys } from '../../features/api-keys/api-keys.ts';
import type { PlayTurn } from '../../features/agents/try-agent.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Access } from '../../access/access.ts';
import type { ChannelFacts } from '../../access/types.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { SignInLimit } from '../../access/sessions/sign-in-limit.ts';
import type { Triggers } from '../../features/triggers/triggers.ts';
import type { Paging } from '../route/paging.ts';
import type { DeclareRoute } from './dashboard-route.ts';

/** The dependencies of the verbs behind the dashboard's API; app.ts builds them once. */
export type Room = OrganizationsDeps &
  MembersDeps &
  AgentsDeps &
  CampaignsDeps &
  ChannelsDeps &
  ModelsDeps &
  SignInDeps &
  SecondFactorDeps &
  WebhooksDeps & {
    access: Access;
    sessions: Sessions;
    /** The rate limit of every sign-in. */
    limit: SignInLimit;
    /** The rate limit of sign-ins with an organization's provider, by network address only. */
    organizationSignInLimit: SignInLimit;
    triggers: Pick<Triggers, 'start' | 'preview' | 'listRuns' | 'presentRun'>;
    /** Waits at most `waitMs` for the agent's turn. */
    say(
      orgId: string,
      conversationId: string,
      text: string,
      options: { requestId: string; waitMs: number },
    ): Promise<{ messages: Message[] }>;
    playTurn: PlayTurn;
    /** For a test message; looks the channel up as every call of the API does. */
    channelMessages: Pick<ChannelMessages, 'send' | 'read'>;
    findChannel(orgId: string, id: string): ChannelFacts | null | Promise<ChannelFacts | null>;
    endUsers: Pick<EndUsers, 'create' | 'update' | 'erase' | 'setConsent' | 'export' | 'exportAll' | 'list' | 'read'>;
    previewCampaign(settings: CampaignSettings, said: PreviewCampaignBody, now: Date): CampaignPreview;
    /** Called when an import is queued. */
    onImport(): void;
    changes: Pick<ChangeWatch, 'watch'>;
    keys: KeyVerbs;
  };

/** `usage` is absent while requests of keys are not counted: then its route is not mounted. */
export type KeyVerbs = ApiKeys & {
  usage?: (orgId: string, id: string, range: '24h' | '7d' | '30d') => Promise<KeyUsage>;
};

/** The input of each file of routes. */
export type Desk = { route: DeclareRoute; room: Room; paging: Paging };
