import type { TokenVerb } from '../permissions.ts';
import type { DashboardRouteName } from './routes.ts';

/**
 * The routes of the dashboard's API that an access token can use, and the verb that each requires. Tokens cannot use
 * any other route. The rules behind the list:
 *
 * - `push` changes drafts, and nothing that end users see. `publish` changes the parts that end users see: versions,
 *   documents, triggers.
 * - A token cannot send messages to people or read personal data: conversations, end users and campaigns are closed.
 *   Only tests that members created from conversations contain text of people.
 * - A token cannot grant access: sign-in, members, keys, tokens and all secrets are closed. Endpoints and the list of
 *   their deliveries are read, but not changed; the bodies of deliveries, which have words of people, are closed. The
 *   one exception is the secret with which Parley signs turns for own code, because a pipeline sets up agent and code
 *   together. This secret opens nothing in Parley.
 * - No route here requires a role above member, so a stolen token never has the rights of an admin.
 *
 * `own`: every token, with any verb. A token for certain agents can use only routes with one of these agents in the
 * path.
 */
export const TOKEN_ROUTES: Partial<Record<DashboardRouteName, TokenVerb | 'own'>> = {
  readSession: 'own',
  readDescription: 'own',
  readOrganization: 'read',

  listAgents: 'read',
  readAgent: 'read',
  listAgentVersions: 'read',
  readRollout: 'read',
  compareVersions: 'read',
  readSuite: 'read',
  listDocuments: 'read',
  readDocument: 'read',
  readKnowledgeUse: 'read',
  readEmbeddings: 'read',
  listSources: 'read',
  readSource: 'read',
  listSourcePages: 'read',
  listTriggers: 'read',
  readTrigger: 'read',
  listChannels: 'read',
  listModels: 'read',
  listWebhooks: 'read',
  readWebhook: 'read',
  listEventDeliveries: 'read',

  tryAgent: 'test',
  checkSuite: 'test',
  testAgent: 'test',

  createAgent: 'push',
  // Requires `publish`, unless the body changes only the draft. features/agents decides (src/http/dashboard/agents.ts).
  updateAgent: 'push',
  // Requires `publish` if it changes whether publishing needs passing tests.
  setSuite: 'push',

  publishAgent: 'publish',
  restoreAgentVersion: 'publish',
  setRollout: 'publish',
  stopRollout: 'publish',
  finishRollout: 'publish',
  createDocument: 'publish',
  uploadDocument: 'publish',
  deleteDocument: 'publish',
  createSource: 'publish',
  updateSource: 'publish',
  deleteSource: 'publish',
  syncSource: 'publish',
  cancelSync: 'publish',
  // Arguments of calls may have data of people. A token that publishes already decides which tools an agent calls.
  listApprovals: 'publish',
  decideApproval: 'publish',
  createTrigger: 'publish',
  updateTrigger: 'publish',
  rotateAgentSecret: 'publish',
};
