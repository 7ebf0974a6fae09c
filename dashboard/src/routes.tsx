import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { Problem } from './api/client.ts';
import { queryClient } from './api/queries.ts';
import { Crash, NotFound } from './shell/crash.tsx';
import { lazyPage } from './parts/lazy-page.ts';
import { PagePending } from './parts/page-pending.tsx';
import { sessionOptions } from './session/session.ts';
import { rememberAs } from './preferences.ts';
import { Shell } from './shell/shell.tsx';
import { readActivitySearch } from './pages/activity/search.ts';
import { readAgentSearch, readAgentsSearch } from './pages/agents/search.ts';
import { readAnalyticsSearch } from './pages/analytics/search.ts';
import { readApprovalsSearch } from './pages/approvals/search.ts';
import { readCampaignSearch, readCampaignsSearch } from './pages/campaigns/search.ts';
import { readChannelsSearch } from './pages/channels/search.ts';
import { readConversationsSearch } from './pages/conversations/search.ts';
import { readEndUserSearch, readEndUsersSearch, readImportSearch } from './pages/end-users/search.ts';
import { readHomeSearch } from './pages/home/search.ts';
import { readKeySearch, readKeysSearch } from './pages/settings/integrations/api-keys/search.ts';
import { readDeliverySearch } from './parts/event-deliveries/search.ts';
import { readCostsSearch } from './pages/settings/costs/search.ts';
import { readTokensSearch } from './pages/settings/access-tokens/search.ts';
import { readInstallationSearch } from './pages/settings/installation/search.ts';
import { readTriggerSearch, readTriggersSearch } from './pages/triggers/search.ts';

/**
 * The routes are the table of contents of the dashboard. Each page has one line, and its own file below pages/ that
 * loads when it is first opened. A function next to the page parses its search parameters, because a link is checked
 * before the page is loaded.
 */
const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: Crash });

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Routes for people who are not signed in. */
const front = createRoute({ getParentRoute: () => root, id: 'front' });

/** All other routes require a session, and the user returns to them after the sign-in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location, matches }) => {
    // The code of the page loads at the same time as the session.
    for (const { routeId } of matches) void pageOf(routeId)?.preload?.();
    try {
      const { user, organizations } = await queryClient.ensureQueryData(sessionOptions);
      rememberAs(user.id, organizations[0]?.id);
    } catch (error) {
      if (error instanceof Problem && error.status === 401)
        throw redirect({ to: '/sign-in', search: { back: location.href === '/' ? undefined : location.href } });
      throw error;
    }
  },
});

const pageOf = (id: string): { preload?: () => Promise<void> } | undefined =>
  (router.routesById as Record<string, { options: { component?: { preload?: () => Promise<void> } } }>)[id]?.options
    .component;

/** The list of conversations stays next to the open conversation. */
const conversations = createRoute({
  getParentRoute: () => inside,
  path: '/conversations',
  validateSearch: readConversationsSearch,
  component: lazyPage(() => import('./pages/conversations/conversations-page.tsx'), 'ConversationsPage'),
});

// oxfmt-ignore
const routeTree = root.addChildren([
  front.addChildren([
    createRoute({ getParentRoute: () => front, path: '/sign-in', validateSearch: (s: Record<string, unknown>): { back?: string; problem?: string } => ({ back: text(s['back']), problem: text(s['problem']) }), component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage') }),
    createRoute({ getParentRoute: () => front, path: '/sign-in/organization', validateSearch: (s: Record<string, unknown>): { back?: string } => ({ back: text(s['back']) }), component: lazyPage(() => import('./pages/sign-in/organization-sign-in-page.tsx'), 'OrganizationSignInPage') }),
    createRoute({ getParentRoute: () => front, path: '/setup', validateSearch: (s: Record<string, unknown>): { token?: string } => ({ token: text(s['token']) }), component: lazyPage(() => import('./pages/setup/setup-page.tsx'), 'SetupPage') }),
    createRoute({ getParentRoute: () => front, path: '/forgot', component: lazyPage(() => import('./pages/password/forgot-page.tsx'), 'ForgotPage') }),
    createRoute({ getParentRoute: () => front, path: '/password/$link', component: lazyPage(() => import('./pages/password/password-page.tsx'), 'PasswordPage') }),
    createRoute({ getParentRoute: () => front, path: '/weekly-mail/$link', component: lazyPage(() => import('./pages/weekly-mail/stop-page.tsx'), 'StopPage') }),
    createRoute({ getParentRoute: () => front, path: '/invitations/$invitation', component: lazyPage(() => import('./pages/invitations/invitation-page.tsx'), 'InvitationPage') }),
  ]),
  inside.addChildren([
    createRoute({ getParentRoute: () => inside, path: '/', validateSearch: readHomeSearch, component: lazyPage(() => import('./pages/home/home-page.tsx'), 'HomePage') }),
    createRoute({ getParentRoute: () => inside, path: '/analytics', validateSearch: readAnalyticsSearch, component: lazyPage(() => import('./pages/analytics/analytics-page.tsx'), 'AnalyticsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/agents', validateSearch: readAgentsSearch, component: lazyPage(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/agents/$agent_id', validateSearch: readAgentSearch, component: lazyPage(() => import('./pages/agents/agent-page.tsx'), 'AgentPage') }),
    createRoute({ getParentRoute: () => inside, path: '/triggers', validateSearch: readTriggersSearch, component: lazyPage(() => import('./pages/triggers/triggers-page.tsx'), 'TriggersPage') }),
    createRoute({ getParentRoute: () => inside, path: '/triggers/$trigger_id', validateSearch: readTriggerSearch, component: lazyPage(() => import('./pages/triggers/trigger-page.tsx'), 'TriggerPage') }),
    conversations.addChildren([
      createRoute({ getParentRoute: () => conversations, path: '/', component: lazyPage(() => import('./pages/conversations/conversations-page.tsx'), 'NoConversation') }),
      createRoute({ getParentRoute: () => conversations, path: '$conversation_id', component: lazyPage(() => import('./pages/conversations/conversation-page.tsx'), 'ConversationPage') }),
    ]),
    createRoute({ getParentRoute: () => inside, path: '/approvals', validateSearch: readApprovalsSearch, component: lazyPage(() => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/channels', validateSearch: readChannelsSearch, component: lazyPage(() => import('./pages/channels/channels-page.tsx'), 'ChannelsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/channels/$channel_id', component: lazyPage(() => import('./pages/channels/channel-page.tsx'), 'ChannelPage') }),
    createRoute({ getParentRoute: () => inside, path: '/campaigns', validateSearch: readCampaignsSearch, component: lazyPage(() => import('./pages/campaigns/campaigns-page.tsx'), 'CampaignsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/campaigns/$campaign_id', validateSearch: readCampaignSearch, component: lazyPage(() => import('./pages/campaigns/campaign-page.tsx'), 'CampaignPage') }),
    createRoute({ getParentRoute: () => inside, path: '/end-users', validateSearch: readEndUsersSearch, component: lazyPage(() => import('./pages/end-users/end-users-page.tsx'), 'EndUsersPage') }),
    createRoute({ getParentRoute: () => inside, path: '/end-users/import', validateSearch: readImportSearch, component: lazyPage(() => import('./pages/end-users/imports/import-page.tsx'), 'ImportPage') }),
    createRoute({ getParentRoute: () => inside, path: '/end-users/$end_user_id', validateSearch: readEndUserSearch, component: lazyPage(() => import('./pages/end-users/end-user-page.tsx'), 'EndUserPage') }),
    createRoute({ getParentRoute: () => inside, path: '/verify/$link', component: lazyPage(() => import('./pages/verification/verify-page.tsx'), 'VerifyPage') }),
    createRoute({ getParentRoute: () => inside, path: '/activity', validateSearch: readActivitySearch, component: lazyPage(() => import('./pages/activity/activity-page.tsx'), 'ActivityPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings', beforeLoad: () => { throw redirect({ to: '/settings/organization' }); } }),
    createRoute({ getParentRoute: () => inside, path: '/settings/organization', component: lazyPage(() => import('./pages/settings/organization/organization-page.tsx'), 'OrganizationPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/plan', component: lazyPage(() => import('./pages/settings/plan/plan-page.tsx'), 'PlanPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/costs', validateSearch: readCostsSearch, component: lazyPage(() => import('./pages/settings/costs/costs-page.tsx'), 'CostsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/members', component: lazyPage(() => import('./pages/settings/members/members-page.tsx'), 'MembersPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/sign-in', component: lazyPage(() => import('./pages/settings/sign-in/sign-in-settings-page.tsx'), 'SignInSettingsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/installation', validateSearch: readInstallationSearch, component: lazyPage(() => import('./pages/settings/installation/installation-page.tsx'), 'InstallationPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/access-tokens', validateSearch: readTokensSearch, component: lazyPage(() => import('./pages/settings/access-tokens/access-tokens-page.tsx'), 'AccessTokensPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/saved-replies', component: lazyPage(() => import('./pages/settings/saved-replies/saved-replies-page.tsx'), 'SavedRepliesPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/sessions', component: lazyPage(() => import('./pages/settings/sessions/sessions-page.tsx'), 'SessionsPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/integrations', beforeLoad: () => { throw redirect({ to: '/settings/integrations/api-keys' }); } }),
    createRoute({ getParentRoute: () => inside, path: '/settings/integrations/api-keys', validateSearch: readKeysSearch, component: lazyPage(() => import('./pages/settings/integrations/api-keys/api-keys-page.tsx'), 'ApiKeysPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/integrations/api-keys/$key_id', validateSearch: readKeySearch, component: lazyPage(() => import('./pages/settings/integrations/api-keys/api-key-page.tsx'), 'ApiKeyPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/integrations/webhooks', component: lazyPage(() => import('./pages/settings/integrations/webhooks/webhooks-page.tsx'), 'WebhooksPage') }),
    createRoute({ getParentRoute: () => inside, path: '/settings/integrations/webhooks/$endpoint_id', validateSearch: readDeliverySearch, component: lazyPage(() => import('./pages/settings/integrations/webhooks/webhook-page.tsx'), 'WebhookPage') }),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: Crash,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
