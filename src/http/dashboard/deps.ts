import type { AgentsDeps } from '../../features/agents/agents.ts';
import type { CampaignsDeps } from '../../features/campaigns/campaigns.ts';
import type { ChannelsDeps } from '../../features/channels/channels.ts';
import type { MembersDeps } from '../../features/members/members.ts';
import type { ModelsDeps } from '../../features/models/models.ts';
import type { OrganizationsDeps } from '../../features/organizations/organizations.ts';
import type { CreateKeyBody, KeyRecord, KeyUsage, NewKey, RotateKeyBody } from '../../../contract/dashboard/keys.ts';
import type { PlaygroundBody, PlaygroundTurn } from '../../../contract/dashboard/agents.ts';
import type { QueryOf } from '../../../contract/dashboard/routes.ts';
import type { Message } from '../../../contract/messages.ts';
import type { Access } from '../../access/access.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { SignInLimit } from '../../access/sessions/sign-in-limit.ts';
import type { Triggers } from '../../features/triggers/triggers.ts';
import type { Paging, Position } from '../paging.ts';
import type { DeclareRoute } from './dashboard-route.ts';

type Actor = { userId: string; address: string; requestId: string };

/** What the verbs behind the dashboard's API stand on; app.ts puts it together once. */
export type Room = OrganizationsDeps &
  MembersDeps &
  AgentsDeps &
  CampaignsDeps &
  ChannelsDeps &
  ModelsDeps & {
    access: Access;
    sessions: Sessions;
    /** The same limit that stands before every sign-in. */
    limit: SignInLimit;
    triggers: Pick<Triggers, 'start' | 'preview' | 'listRuns' | 'presentRun'>;
    /** Waits at most `waitMs` for the agent's turn. */
    say(
      orgId: string,
      conversationId: string,
      text: string,
      options: { requestId: string; waitMs: number },
    ): Promise<{ messages: Message[] }>;
    /** One turn of an agent; nothing is stored. */
    tryAgent(orgId: string, agentId: string, body: PlaygroundBody): Promise<PlaygroundTurn>;
    keys: KeyVerbs;
  };

export type KeyVerbs = {
  list(
    orgId: string,
    filter: Omit<QueryOf<'listKeys'>, 'limit' | 'cursor'>,
    page: { limit: number; after: Position | null },
  ): Promise<{ rows: KeyRecord[]; hasMore: boolean }>;
  read(orgId: string, id: string): Promise<KeyRecord>;
  create(orgId: string, body: CreateKeyBody, actor: Actor): Promise<NewKey>;
  rename(orgId: string, id: string, label: string, actor: Actor): Promise<KeyRecord>;
  rotate(orgId: string, id: string, overlap: RotateKeyBody['overlap'], actor: Actor): Promise<NewKey>;
  revoke(orgId: string, id: string, actor: Actor): Promise<KeyRecord>;
  /** Absent: requests of keys are not counted yet, and the route is not mounted. */
  usage?(orgId: string, id: string, range: '24h' | '7d' | '30d'): Promise<KeyUsage>;
};

/** What each file of routes gets. */
export type Desk = { route: DeclareRoute; room: Room; paging: Paging };
