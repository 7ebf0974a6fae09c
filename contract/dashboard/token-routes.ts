import type { TokenVerb } from '../permissions.ts';
import type { DashboardRouteName } from './routes.ts';

/**
 * The routes of the dashboard's API that an access token can use, with the verb that each route requires. Tokens cannot
 * use any other route. The list of token routes follows four rules:
 *
 * - The verb `push` changes drafts, and nothing that end users see.
 * - The verb `publish` changes the parts that end users see, which are versions, documents and triggers.
 * - A token cannot send messages to people or read personal data, because conversations, end users and campaigns are
 *   closed. Only tests that members created from conversations contain text of people.
 * - A token cannot grant access, because sign-in, members, keys, tokens and all secrets are closed. A token can read
 *   endpoints and the list of their deliveries, but cannot change them. A token cannot read the bodies of deliveries,
 *   which contain text of people. The only exception is the secret with which Parley signs turns for own code, because
 *   a pipeline sets up agent and code together. This secret opens nothing in Parley.
 * - No route of the list requires a role above member, so a stolen token never has the rights of an admin.
 *
 * The value `own` means every token, with any verb. A token for certain agents can use only routes with one of these
 * agents in the path.
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
  // The route requires `publish`, unless the body changes only the draft. The file src/http/dashboard/agents.ts decides
  // whether an update changes only the draft.
  updateAgent: 'push',
  // The route requires `publish` if it changes whether publishing needs passing tests.
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
  // The arguments of tool calls may have data of people. A token that publishes already decides which tools an agent
  // calls.
  listApprovals: 'publish',
  decideApproval: 'publish',
  createTrigger: 'publish',
  updateTrigger: 'publish',
  rotateAgentSecret: 'publish',
};
