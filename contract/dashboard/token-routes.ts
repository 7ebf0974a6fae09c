import type { TokenVerb } from '../permissions.ts';
import type { DashboardRouteName } from './routes.ts';

/**
 * Which routes of the dashboard's API an access token opens, and the verb that it needs. A route that is not here is
 * closed to tokens. The rules behind the list:
 *
 * - `push` changes drafts, and nothing that people meet. `publish` changes what they meet: versions, documents, triggers.
 * - A token sends nothing to people and reads nothing about them: conversations, end users and campaigns are closed.
 *   Only tests that members made of conversations have words of people.
 * - It gives no access: sign-in, members, keys, tokens, webhooks and all secrets are closed.
 * - No route here needs more than the role member, so a stolen token can never act as an admin.
 *
 * `own`: every token, with any verb. A token for certain agents opens only routes whose path names one of them.
 */
export const TOKEN_ROUTES: Partial<Record<DashboardRouteName, TokenVerb | 'own'>> = {
  readSession: 'own',
  readDescription: 'own',
  readOrganization: 'read',

  listAgents: 'read',
  readAgent: 'read',
  listAgentVersions: 'read',
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

  tryAgent: 'test',
  checkSuite: 'test',
  testAgent: 'test',

  createAgent: 'push',
  // With `publish`, unless the body only changes the draft: features/agents decides (src/http/dashboard/agents.ts).
  updateAgent: 'push',
  // With `publish`, if it changes whether publishing needs the tests.
  setSuite: 'push',

  publishAgent: 'publish',
  restoreAgentVersion: 'publish',
  createDocument: 'publish',
  uploadDocument: 'publish',
  deleteDocument: 'publish',
  createSource: 'publish',
  updateSource: 'publish',
  deleteSource: 'publish',
  syncSource: 'publish',
  cancelSync: 'publish',
  createTrigger: 'publish',
  updateTrigger: 'publish',
};
