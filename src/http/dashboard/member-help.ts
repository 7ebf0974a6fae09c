import {
  draftReply,
  type HelpDeps,
  readConversationHelp,
  readHelp,
  setHelp,
  summarize,
  translate,
} from '../../features/conversations/help-members.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for summaries, drafts and translations. */
export const memberHelpRoutes = ({ route, deps }: RouteDeps<HelpDeps>): Route[] => [
  route('readMemberHelp', ({ orgId }) => readHelp(deps, orgId)),
  route('setMemberHelp', ({ orgId, body, actor }) => setHelp(deps, orgId, body, actor)),
  route('readConversationHelp', ({ orgId, params }) => readConversationHelp(deps, orgId, params.conversation_id)),
  route('summarizeConversation', ({ orgId, params, query, thenChecked }) =>
    thenChecked(summarize(deps, orgId, params.conversation_id, query.language)),
  ),
  route('draftReply', ({ orgId, params, thenChecked }) => thenChecked(draftReply(deps, orgId, params.conversation_id))),
  route('translateText', ({ orgId, params, body, thenChecked }) =>
    thenChecked(translate(deps, orgId, params.conversation_id, body)),
  ),
];
