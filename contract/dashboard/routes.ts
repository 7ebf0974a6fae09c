import { Type, type Static, type TSchema } from 'typebox';
import type { Role } from '../permissions.ts';
import { DryRun, RunFilters, TriggerCall, AcceptedRun } from '../triggers.ts';
import {
  AccessTokenListQuery,
  AccessTokenRecord,
  CreateAccessTokenBody,
  NewAccessToken,
  ReplaceAccessTokenBody,
} from './access-tokens.ts';
import {
  AuditExportQuery,
  AuditListQuery,
  AuditRecord,
  Overview,
  RequestCall,
  RequestListQuery,
  RequestRecord,
} from './activity.ts';
import { DecideApprovalBody } from '../approvals.ts';
import { ApprovalEntry, ApprovalListQuery, ListedApproval } from './approvals.ts';
import { CampaignScheduleAnswer, SetScheduleBody } from './campaign-schedules.ts';
import { ChangesQuery } from './changes.ts';
import { Analytics, AnalyticsQuery } from './analytics.ts';
import { Numbers, NumbersQuery } from './statistics.ts';
import {
  AgentRecord,
  AgentSummary,
  AgentVersion,
  CreateAgentBody,
  CreateDocumentBody,
  DocumentRecord,
  DocumentSummary,
  KnowledgeUse,
  PlaygroundBody,
  PlaygroundTurn,
  MAX_FILE_BYTES,
  UpdateAgentBody,
  UploadDocumentQuery,
} from './agents.ts';
import { NamedResult } from './results.ts';
import { RolloutBody, RolloutRecord, VersionComparison } from './rollouts.ts';
import { CampaignReport, ReportQuery } from './campaign-report.ts';
import { AdditionListQuery, AdditionRecord, StartAdditionBody } from './additions.ts';
import {
  CountAudienceBody,
  CountedFile,
  CountFileBody,
  CountedAudience,
  CampaignPreview,
  CampaignReview,
  CampaignRecord,
  PreviewCampaignBody,
  CreateCampaignBody,
  NamedRecipient,
  RecipientExportQuery,
  RecipientListQuery,
  RecipientRecord,
  ReviewCampaignBody,
  TestCampaignBody,
  UpdateCampaignBody,
} from './campaigns.ts';
import { AcceptedMessage, ChannelMessage } from '../channels.ts';
import {
  ChannelCheck,
  ChannelDetail,
  ChannelRecord,
  ChannelTemplates,
  ConnectChannelBody,
  ConnectedChannel,
  SendTestBody,
  UpdateChannelBody,
} from './channels.ts';
import { ConversationView, CreateConversationViewBody } from './conversation-views.ts';
import {
  AssignBody,
  ChangeConversationsBody,
  ChangedConversations,
  ConversationCounts,
  ConversationListQuery,
  ConversationMessage,
  ConversationNote,
  ConversationQuery,
  ConversationRecord,
  NoteBody,
  PresenceBody,
  PresentMember,
  ConversationSummary,
  ListedConversation,
  MessageListQuery,
  SayAnswer,
  ReplyBody,
  ReplyQuery,
  SayBody,
  SendFileQuery,
  SetTagsBody,
  SnoozeBody,
} from './conversations.ts';
import { LowerKeyLimitsBody } from '../key-limits.ts';
import { MAX_ATTACHMENT_BYTES } from '../limits.ts';
import { CreateEndUser, SetConsent, UpdateEndUser } from '../end-users.ts';
import {
  AttributeOrder,
  EndUserCampaign,
  EndUserExportQuery,
  EndUserListQuery,
  EndUserRecord,
  TagEndUsersBody,
  TaggedEndUsers,
} from './end-users.ts';
import { CampaignRehearsal, RehearseCampaignBody } from './rehearsals.ts';
import {
  CreateImportBody,
  IMPORT_PIECE_BYTES,
  ImportFault,
  ImportListQuery,
  ImportPreview,
  ImportRecord,
  PreviewQuery,
  RunImportBody,
} from './imports.ts';
import {
  CreateKeyBody,
  KeyListQuery,
  KeyRecord,
  KeyUsage,
  KeyUsageQuery,
  NewKey,
  RenameKeyBody,
  RotateKeyBody,
  ShortenKeyNetworksBody,
} from './keys.ts';
import { EmbeddingProgress, ModelCheck, ModelRecord, SetModelBody } from './models.ts';
import {
  CaseResult,
  CheckSuiteBody,
  PublishAgentBody,
  PublishBody,
  SetSuiteBody,
  SuiteRecord,
  TestAgentBody,
} from './test-cases.ts';
import { AddedWording, AddWordingBody, SuggestedPassages, SuggestPassagesQuery, WordingRecord } from './wordings.ts';
import { MissedQuestions, SettledQuestions, SettleQuestionsBody } from './questions.ts';
import { ReplayBody, ReplayResult } from './replay.ts';
import { CreateSegmentBody, SegmentRecord } from './segments.ts';
import {
  ConversationSummaryText,
  DraftedReply,
  MemberHelp,
  SummaryQuery,
  TranslateBody,
  Translation,
} from './member-help.ts';
import { AttendanceBody, HandOffRules, InboxBody, SetHandOffRulesBody } from './hand-offs.ts';
import {
  CreateSavedReplyBody,
  FilledReply,
  SavedReplyRecord,
  SavedReplySummary,
  UpdateSavedReplyBody,
} from './saved-replies.ts';
import { CreateSourceBody, SourcePage, SourcePagesQuery, SourceRecord, UpdateSourceBody } from './document-sources.ts';
import {
  AcceptInvitationBody,
  CreateOrganizationBody,
  InvitationLook,
  InvitationRecord,
  InviteBody,
  NewInvitation,
  MemberRecord,
  OrganizationRecord,
  UpdateOrganizationBody,
  RetentionPreview,
  RetentionPreviewQuery,
  RetentionRecord,
  SetPlanAnswer,
  SetPlanBody,
  SetRetentionBody,
  SetRoleBody,
} from './organizations.ts';
import {
  AddPasskeyBody,
  CodeBody,
  FirstCodeBody,
  NewAuthenticator,
  NewPasskey,
  PasskeyAssertion,
  PasskeyOptions,
  PasskeyRecord,
  PasswordAgainBody,
  PasswordAndCodeBody,
  RecoveryCodes,
  RenamePasskeyBody,
  RequireSecondFactorBody,
  SecondFactorAsked,
  SecondFactorView,
} from './second-factor.ts';
import { Id, Page, PageQuery, SearchText, Whole } from './shapes.ts';
import {
  AddSignInDomainBody,
  BeginSignInBody,
  BegunSignIn,
  CheckSignInProviderBody,
  SetSignInProviderBody,
  SignInDomain,
  SignInProviderLook,
  SignInSettings,
} from './sign-in-provider.ts';
import {
  ForgotPasswordBody,
  PasswordBody,
  PasswordLinkLook,
  ResetPasswordBody,
  SessionRecord,
  SessionView,
  SetupBody,
  SignInBody,
  SignInOptions,
} from './sign-in.ts';
import { BudgetRecord, ModelPrice, SetBudgetBody, SetPriceBody, UsageQuery, UsageRecord } from './costs.ts';
import {
  AgentSecret,
  CreateToolSecretBody,
  ListMcpToolsBody,
  McpTools,
  NewToolSecret,
  RotateToolSecretBody,
  SetToolCredentialsBody,
  ToolSecretRecord,
  ToolTried,
  TryToolBody,
} from './tools.ts';
import { CreateTriggerBody, NamedRun, TriggerRecord, UpdateTriggerBody } from './triggers.ts';
import { MAX_UNSUBSCRIBE_BYTES, WeeklyMailBody, WeeklyMailRecord } from './weekly-mail.ts';
import {
  CreateWebhookBody,
  EventDelivery,
  EventDeliveryDetail,
  EventDeliveryQuery,
  NewWebhook,
  RotateWebhookBody,
  UpdateWebhookBody,
  RecoverWebhookBody,
  RecoveredDeliveries,
  WatchedEvents,
  WatchEventsQuery,
  WebhookRecord,
} from './webhooks.ts';

/**
 * The routes of the dashboard's own API, below DASHBOARD_BASE, with their access rules and shapes. The server mounts
 * exactly the listed routes, and the dashboard and the command line call no other routes.
 */
export const DASHBOARD_BASE = '/dashboard/api';

/**
 * A `public` route needs no session. The access `signed_in` means a person who signed in to their own account. The
 * access `any_session` also includes people whom an organization's provider signed in. A role means at least this role
 * in `:org_id`. A session of a provider has a role only in its own organization.
 */
export type DashboardAccess = 'public' | 'signed_in' | 'any_session' | 'operator' | Role;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Status = 200 | 201 | 202 | 204 | 303;

type Shapes = {
  query?: TSchema;
  body?: TSchema;
  /** True: the request may omit the body. */
  bodyOptional?: boolean;
  /** The maximum body in bytes, if it exceeds the default. */
  bodyLimit?: number;
  /** The body is raw bytes instead of JSON, with this maximum size. */
  rawBody?: number;
  /** The value is absent if the status is 204 or 303. */
  answer?: TSchema;
};

export type DashboardRoute = Shapes & {
  method: Method;
  status: Status;
  /** The path below DASHBOARD_BASE, in the syntax of Fastify. */
  path: string;
  access: DashboardAccess;
  summary: string;
};

function route<M extends Method, N extends Status, P extends string, S extends Shapes>(
  call: `${M} ${N}`,
  path: P,
  access: DashboardAccess,
  summary: string,
  shapes: S,
) {
  const [method, status] = call.split(' ');
  return { method: method as M, status: Number(status) as N, path, access, summary, ...shapes };
}

const org = '/organizations/:org_id';
const ofAgent = Type.Optional(Id('agent'));
/** The limit is a document of 1 MiB in which every byte is escaped as \u00XX, its name, and the surrounding JSON. */
const DOCUMENT_BODY_BYTES = 6 * 1024 * 1024 + 64 * 1024;
/** The limit is the text of a file, escaped as JSON, and the settings. */
const RECIPIENTS_BODY_BYTES = 3 * 1024 * 1024;
/** A definition with the maximum of everything exceeds the default body limit. */
const DEFINITION_BODY_BYTES = 2 * 1024 * 1024;
/** The response 200 means signed in, and 202 means that a second factor is required. */
const Entered = Type.Union([SessionView, SecondFactorAsked]);

// Each route has one line, so that the list reads as a table.
// oxfmt-ignore
const routes = {
  // Setting up and signing in
  setUp: route('POST 201', '/setup', 'public', 'Make the first owner', { body: SetupBody, answer: SessionView }),
  signIn: route('POST 200', '/sign-in', 'public', 'Sign in; 202 where a second factor is asked for', { body: SignInBody, answer: Entered }),
  signInWithCode: route('POST 200', '/sign-in/code', 'public', 'Show the second factor that was asked for', { body: CodeBody, answer: SessionView }),
  startPasskeySignIn: route('POST 200', '/sign-in/passkey/options', 'public', 'Options for signing in with a passkey', { answer: PasskeyOptions }),
  signInWithPasskey: route('POST 200', '/sign-in/passkey', 'public', 'Sign in with a passkey', { body: PasskeyAssertion, answer: SessionView }),
  readSignInOptions: route('GET 200', '/sign-in', 'public', 'What the page of signing in offers', { answer: SignInOptions }),
  signOut: route('POST 204', '/sign-out', 'public', 'Sign out', {}),
  readSession: route('GET 200', '/session', 'any_session', 'Who is signed in', { answer: SessionView }),
  changePassword: route('PUT 204', '/password', 'signed_in', 'Change one’s password; ends all other sessions', { body: PasswordBody }),
  listSessions: route('GET 200', '/sessions', 'signed_in', 'Where one is signed in', { answer: Whole(SessionRecord) }),
  endOtherSessions: route('DELETE 204', '/sessions', 'signed_in', 'End all other sessions', {}),
  endSession: route('DELETE 204', '/sessions/:session_id', 'signed_in', 'End one session', {}),
  readInvitation: route('GET 200', '/invitations/:invitation', 'public', 'Look at an invitation', { answer: InvitationLook }),
  acceptInvitation: route('POST 200', '/invitations/:invitation', 'public', 'Accept an invitation as a new person', { body: AcceptInvitationBody, answer: SessionView }),
  joinByInvitation: route('POST 200', '/invitations/:invitation/join', 'signed_in', 'Accept an invitation with one’s account', { answer: SessionView }),
  forgotPassword: route('POST 204', '/password-links', 'public', 'Ask for a password link by mail', { body: ForgotPasswordBody }),
  readPasswordLink: route('GET 200', '/password-links/:link', 'public', 'Look at a password link', { answer: PasswordLinkLook }),
  resetPassword: route('POST 200', '/password-links/:link', 'public', 'Set a forgotten password; ends all sessions', { body: ResetPasswordBody, answer: Entered }),
  beginSignIn: route('POST 200', '/sign-in/organization', 'public', 'Sign in with the provider of one’s organization', { body: BeginSignInBody, answer: BegunSignIn }),
  finishSignIn: route('GET 303', '/sign-in/organization/:org_id/callback', 'public', 'Come back from the provider of an organization', {}),
  readSecondFactor: route('GET 200', '/second-factor', 'signed_in', 'Own second factors', { answer: SecondFactorView }),
  startAuthenticator: route('POST 201', '/second-factor/authenticator', 'signed_in', 'Begin with an authenticator app', { body: PasswordAgainBody, answer: NewAuthenticator }),
  confirmAuthenticator: route('POST 200', '/second-factor/authenticator/confirm', 'signed_in', 'Confirm the app by a code; ends all other sessions', { body: FirstCodeBody, answer: RecoveryCodes }),
  removeAuthenticator: route('POST 204', '/second-factor/authenticator/remove', 'signed_in', 'Remove the app', { body: PasswordAndCodeBody }),
  renewRecoveryCodes: route('POST 200', '/second-factor/recovery-codes', 'signed_in', 'Replace the recovery codes', { body: PasswordAgainBody, answer: RecoveryCodes }),
  startPasskey: route('POST 200', '/second-factor/passkeys/options', 'signed_in', 'Options for adding a passkey', { body: PasswordAgainBody, answer: PasskeyOptions }),
  addPasskey: route('POST 201', '/second-factor/passkeys', 'signed_in', 'Add a passkey', { body: AddPasskeyBody, answer: NewPasskey }),
  renamePasskey: route('PATCH 200', '/second-factor/passkeys/:passkey_id', 'signed_in', 'Rename a passkey', { body: RenamePasskeyBody, answer: PasskeyRecord }),
  removePasskey: route('POST 204', '/second-factor/passkeys/:passkey_id/remove', 'signed_in', 'Remove a passkey', { body: PasswordAgainBody }),
  readDescription: route('GET 200', '/openapi.json', 'any_session', 'This description', { answer: Type.Unknown() }),
  sendEmailLink: route('POST 204', '/email-links', 'signed_in', 'Mail a link that verifies one’s address', {}),
  verifyEmail: route('POST 200', '/email-links/:link', 'signed_in', 'Verify one’s address', { answer: SessionView }),

  // Organizations and their members
  listOrganizations: route('GET 200', '/organizations', 'any_session', 'Own organizations; for the operator with ?all=true every one', { query: PageQuery({ all: Type.Optional(Type.Boolean()), text: SearchText }), answer: Page(OrganizationRecord) }),
  createOrganization: route('POST 201', '/organizations', 'signed_in', 'Make an organization', { body: CreateOrganizationBody, answer: OrganizationRecord }),
  readOrganization: route('GET 200', org, 'viewer', 'Read an organization', { answer: OrganizationRecord }),
  updateOrganization: route('PATCH 200', org, 'admin', 'Rename an organization, or set its time zone', { body: UpdateOrganizationBody, answer: OrganizationRecord }),
  setPlan: route('PUT 200', `${org}/plan`, 'operator', 'Set the plan', { body: SetPlanBody, answer: SetPlanAnswer }),
  requireSecondFactor: route('PUT 200', `${org}/second-factor`, 'owner', 'Require a second factor of every member, or not', { body: RequireSecondFactorBody, answer: OrganizationRecord }),
  readRetention: route('GET 200', `${org}/retention`, 'viewer', 'How long conversations are kept', { answer: RetentionRecord }),
  previewRetention: route('GET 200', `${org}/retention/preview`, 'owner', 'How many conversations are older than that', { query: RetentionPreviewQuery, answer: RetentionPreview }),
  setRetention: route('PUT 200', `${org}/retention`, 'owner', 'Keep conversations for so many days, or for good', { body: SetRetentionBody, answer: RetentionRecord }),
  listMembers: route('GET 200', `${org}/members`, 'viewer', 'List members', { answer: Whole(MemberRecord) }),
  setMemberRole: route('PATCH 200', `${org}/members/:member_id`, 'admin', 'Change a member’s role', { body: SetRoleBody, answer: MemberRecord }),
  removeMember: route('DELETE 204', `${org}/members/:member_id`, 'viewer', 'Remove a member; members may remove themselves', {}),
  listInvitations: route('GET 200', `${org}/invitations`, 'admin', 'List open invitations', { answer: Whole(InvitationRecord) }),
  invite: route('POST 201', `${org}/invitations`, 'admin', 'Invite; the link is shown only here, or mailed', { body: InviteBody, answer: NewInvitation }),
  renewInvitation: route('POST 200', `${org}/invitations/:invitation_id/renew`, 'admin', 'Make another link for an invitation; the one before ends', { answer: NewInvitation }),
  withdrawInvitation: route('DELETE 204', `${org}/invitations/:invitation_id`, 'admin', 'Withdraw an invitation', {}),

  // The identity provider of an organization
  readSignInSettings: route('GET 200', `${org}/sign-in`, 'owner', 'Read how people of an organization sign in', { answer: SignInSettings }),
  setSignInProvider: route('PUT 200', `${org}/sign-in`, 'owner', 'Set the provider that people sign in with', { body: SetSignInProviderBody, answer: SignInSettings }),
  removeSignInProvider: route('DELETE 204', `${org}/sign-in`, 'owner', 'Remove the provider; ends the sessions that it opened', {}),
  checkSignInProvider: route('POST 200', `${org}/sign-in/check`, 'owner', 'Read what a provider says of itself; nothing is stored', { body: CheckSignInProviderBody, answer: SignInProviderLook }),
  addSignInDomain: route('POST 201', `${org}/sign-in/domains`, 'owner', 'Claim an e-mail domain', { body: AddSignInDomainBody, answer: SignInDomain }),
  verifySignInDomain: route('POST 200', `${org}/sign-in/domains/:domain/verify`, 'owner', 'Look for the record of a domain', { answer: SignInDomain }),
  confirmSignInDomain: route('POST 200', `${org}/sign-in/domains/:domain/confirm`, 'operator', 'Confirm a domain without its record', { answer: SignInDomain }),
  removeSignInDomain: route('DELETE 204', `${org}/sign-in/domains/:domain`, 'owner', 'Give up a domain; ends the sessions of the provider', {}),

  // Agents and their knowledge
  listAgents: route('GET 200', `${org}/agents`, 'viewer', 'List agents', { query: PageQuery({ text: SearchText }), answer: Page(AgentSummary) }),
  createAgent: route('POST 201', `${org}/agents`, 'member', 'Make an agent and its sandbox channel', { body: CreateAgentBody, bodyLimit: DEFINITION_BODY_BYTES, answer: AgentRecord }),
  readAgent: route('GET 200', `${org}/agents/:agent_id`, 'viewer', 'Read an agent', { answer: AgentRecord }),
  updateAgent: route('PATCH 200', `${org}/agents/:agent_id`, 'member', 'Change an agent; publishes unless publish is false', { body: UpdateAgentBody, bodyLimit: DEFINITION_BODY_BYTES, answer: AgentRecord }),
  deleteAgent: route('DELETE 204', `${org}/agents/:agent_id`, 'member', 'Delete an agent with its triggers and channels', {}),
  publishAgent: route('POST 200', `${org}/agents/:agent_id/publish`, 'member', 'Publish the draft', { body: PublishAgentBody, bodyOptional: true, answer: AgentRecord }),
  listAgentVersions: route('GET 200', `${org}/agents/:agent_id/versions`, 'viewer', 'List published versions', { query: PageQuery({}), answer: Page(AgentVersion) }),
  restoreAgentVersion: route('POST 200', `${org}/agents/:agent_id/versions/:version/restore`, 'member', 'Publish an earlier version again', { body: PublishBody, bodyOptional: true, answer: AgentRecord }),
  readRollout: route('GET 200', `${org}/agents/:agent_id/rollout`, 'viewer', 'Read the latest rollout of an agent', { answer: RolloutRecord }),
  setRollout: route('PUT 200', `${org}/agents/:agent_id/rollout`, 'member', 'Give a version to a part of the end users, or change that part', { body: RolloutBody, answer: RolloutRecord }),
  stopRollout: route('POST 200', `${org}/agents/:agent_id/rollout/stop`, 'member', 'Stop a rollout; everyone gets the live version', { answer: RolloutRecord }),
  finishRollout: route('POST 200', `${org}/agents/:agent_id/rollout/finish`, 'member', 'Make the version of a rollout live for everyone', { answer: RolloutRecord }),
  compareVersions: route('GET 200', `${org}/agents/:agent_id/versions/compare`, 'viewer', 'Compare versions: outcomes of their runs, with intervals', { answer: VersionComparison }),
  tryAgent: route('POST 200', `${org}/agents/:agent_id/playground`, 'member', 'Try one turn; nothing is stored', { body: PlaygroundBody, bodyLimit: DEFINITION_BODY_BYTES, answer: PlaygroundTurn }),
  readSuite: route('GET 200', `${org}/agents/:agent_id/suite`, 'viewer', 'Read the tests of an agent', { answer: SuiteRecord }),
  setSuite: route('PUT 200', `${org}/agents/:agent_id/suite`, 'member', 'Replace the tests of an agent', { body: SetSuiteBody, bodyLimit: DEFINITION_BODY_BYTES, answer: SuiteRecord }),
  checkSuite: route('POST 204', `${org}/agents/:agent_id/suite/check`, 'member', 'Check tests, and a definition, without storing them', { body: CheckSuiteBody, bodyLimit: DEFINITION_BODY_BYTES }),
  listWordings: route('GET 200', `${org}/agents/:agent_id/wordings`, 'viewer', 'Questions that were learned as other wordings of a passage', { query: PageQuery({}), answer: Page(WordingRecord) }),
  suggestPassages: route('GET 200', `${org}/agents/:agent_id/wordings/passages`, 'viewer', 'Passages that may answer a question', { query: SuggestPassagesQuery, answer: SuggestedPassages }),
  addWording: route('POST 201', `${org}/agents/:agent_id/wordings`, 'member', 'Learn a question as another wording of a passage', { body: AddWordingBody, answer: AddedWording }),
  removeWording: route('DELETE 204', `${org}/agents/:agent_id/wordings/:wording_id`, 'member', 'Forget a learned question; people cannot add it again', {}),
  testAgent: route('POST 200', `${org}/agents/:agent_id/test`, 'member', 'Run one test against the draft, a version or a definition; no tool is called and nothing is sent', { body: TestAgentBody, bodyLimit: DEFINITION_BODY_BYTES, answer: CaseResult }),
  replayConversation: route('POST 200', `${org}/agents/:agent_id/replay`, 'member', 'Play a conversation that has been on the draft or a version; no tool is called, nothing is sent or stored', { body: ReplayBody, answer: ReplayResult }),
  listMissedQuestions: route('GET 200', `${org}/agents/:agent_id/questions`, 'viewer', 'Questions of the last 30 days that the agent could not answer, by topic', { answer: MissedQuestions }),
  listAllMissedQuestions: route('GET 200', `${org}/questions`, 'viewer', 'Questions of the last 30 days that any agent could not answer, by agent and topic', { answer: MissedQuestions }),
  settleMissedQuestions: route('POST 200', `${org}/agents/:agent_id/questions/settle`, 'member', 'Take questions out of this list', { body: SettleQuestionsBody, answer: SettledQuestions }),
  tryTool: route('POST 200', `${org}/agents/:agent_id/tools/try`, 'member', 'Call a tool with a made-up person, and see request and answer', { body: TryToolBody, bodyLimit: DEFINITION_BODY_BYTES, answer: ToolTried }),
  listMcpTools: route('POST 200', `${org}/agents/:agent_id/mcp-tools`, 'member', 'Ask an MCP server for its tools', { body: ListMcpToolsBody, answer: McpTools }),
  listDocuments: route('GET 200', `${org}/agents/:agent_id/documents`, 'viewer', 'List documents', { query: PageQuery({ text: SearchText }), answer: Page(DocumentSummary) }),
  readKnowledgeUse: route('GET 200', `${org}/agents/:agent_id/knowledge`, 'viewer', 'How full the documents are', { answer: KnowledgeUse }),
  createDocument: route('POST 201', `${org}/agents/:agent_id/documents`, 'member', 'Add a document', { body: CreateDocumentBody, bodyLimit: DOCUMENT_BODY_BYTES, answer: DocumentSummary }),
  uploadDocument: route('POST 201', `${org}/agents/:agent_id/documents/upload`, 'member', 'Add a file as a document: PDF, Word, HTML, Markdown, CSV, plain text', { query: UploadDocumentQuery, body: Type.Unsafe<unknown>({}), rawBody: MAX_FILE_BYTES, answer: DocumentSummary }),
  readDocument: route('GET 200', `${org}/agents/:agent_id/documents/:document_id`, 'viewer', 'Read a document', { answer: DocumentRecord }),
  deleteDocument: route('DELETE 204', `${org}/agents/:agent_id/documents/:document_id`, 'member', 'Remove a document', {}),

  readEmbeddings: route('GET 200', `${org}/agents/:agent_id/embeddings`, 'viewer', "Read how far the embeddings of an agent's documents are", { answer: EmbeddingProgress }),
  retryEmbeddings: route('POST 200', `${org}/agents/:agent_id/embeddings/retry`, 'member', 'Try failed embeddings again now', { answer: EmbeddingProgress }),
  listSources: route('GET 200', `${org}/agents/:agent_id/sources`, 'viewer', 'List pages, sitemaps and sites that the agent answers from', { query: PageQuery({}), answer: Page(SourceRecord) }),
  createSource: route('POST 201', `${org}/agents/:agent_id/sources`, 'member', 'Add a page, a sitemap or a site; its first sync starts', { body: CreateSourceBody, answer: SourceRecord }),
  readSource: route('GET 200', `${org}/agents/:agent_id/sources/:source_id`, 'viewer', 'Read a source and the progress of its sync', { answer: SourceRecord }),
  updateSource: route('PATCH 200', `${org}/agents/:agent_id/sources/:source_id`, 'member', 'Change schedule or page limit', { body: UpdateSourceBody, answer: SourceRecord }),
  deleteSource: route('DELETE 204', `${org}/agents/:agent_id/sources/:source_id`, 'member', 'Remove a source with its documents', {}),
  syncSource: route('POST 202', `${org}/agents/:agent_id/sources/:source_id/sync`, 'member', 'Read it again now', { answer: SourceRecord }),
  cancelSync: route('POST 200', `${org}/agents/:agent_id/sources/:source_id/cancel`, 'member', 'Stop a sync; what was read stays', { answer: SourceRecord }),
  listSourcePages: route('GET 200', `${org}/agents/:agent_id/sources/:source_id/pages`, 'viewer', 'List pages of a source, with their faults', { query: SourcePagesQuery, answer: Page(SourcePage) }),

  // Triggers and their runs
  listTriggers: route('GET 200', `${org}/triggers`, 'viewer', 'List triggers', { query: PageQuery({ agent_id: ofAgent, text: SearchText }), answer: Page(TriggerRecord) }),
  createTrigger: route('POST 201', `${org}/triggers`, 'member', 'Make a trigger', { body: CreateTriggerBody, answer: TriggerRecord }),
  readTrigger: route('GET 200', `${org}/triggers/:trigger_id`, 'viewer', 'Read a trigger', { answer: TriggerRecord }),
  updateTrigger: route('PATCH 200', `${org}/triggers/:trigger_id`, 'member', 'Change a trigger', { body: UpdateTriggerBody, answer: TriggerRecord }),
  deleteTrigger: route('DELETE 204', `${org}/triggers/:trigger_id`, 'member', 'Delete a trigger', {}),
  testTrigger: route('POST 202', `${org}/triggers/:trigger_id/test`, 'member', 'Call a trigger as a backend would; 200 for a dry run', { body: TriggerCall, bodyOptional: true, answer: Type.Union([AcceptedRun, DryRun]) }),
  listTriggerRuns: route('GET 200', `${org}/triggers/:trigger_id/runs`, 'viewer', 'List runs', { query: PageQuery(RunFilters), answer: Page(NamedRun) }),
  exportTriggerResults: route('GET 200', `${org}/triggers/:trigger_id/results.csv`, 'member', 'The results of its runs as CSV', {}),

  // Channels and campaigns
  listChannels: route('GET 200', `${org}/channels`, 'viewer', 'List channels', { query: PageQuery({ agent_id: ofAgent, text: SearchText }), answer: Page(ChannelRecord) }),
  connectChannel: route('POST 201', `${org}/channels`, 'member', 'Connect a channel', { body: ConnectChannelBody, answer: ConnectedChannel }),
  readChannel: route('GET 200', `${org}/channels/:channel_id`, 'viewer', 'Read a channel', { answer: ChannelDetail }),
  updateChannel: route('PATCH 200', `${org}/channels/:channel_id`, 'member', 'Change a channel', { body: UpdateChannelBody, answer: ConnectedChannel }),
  checkChannel: route('POST 200', `${org}/channels/:channel_id/check`, 'member', 'Ask the provider whether the credentials still work', { answer: ChannelCheck }),
  listTemplates: route('GET 200', `${org}/channels/:channel_id/templates`, 'viewer', "List the message templates of the channel's account, as its provider has them now", { answer: ChannelTemplates }),
  sendTest: route('POST 202', `${org}/channels/:channel_id/test`, 'member', 'Send a test message', { body: SendTestBody, answer: AcceptedMessage }),
  readTest: route('GET 200', `${org}/channels/:channel_id/test/:message_id`, 'viewer', 'Read what became of a test message', { answer: ChannelMessage }),
  disconnectChannel: route('DELETE 204', `${org}/channels/:channel_id`, 'member', 'Disconnect a channel', {}),
  listCampaigns: route('GET 200', `${org}/campaigns`, 'viewer', 'List campaigns', { query: PageQuery({ agent_id: ofAgent, text: SearchText, round_of: Type.Optional(Id('campaign')) }), answer: Page(CampaignRecord) }),
  readCampaignSchedule: route('GET 200', `${org}/campaigns/:campaign_id/schedule`, 'viewer', 'Read when a campaign repeats', { answer: CampaignScheduleAnswer }),
  setCampaignSchedule: route('PUT 200', `${org}/campaigns/:campaign_id/schedule`, 'member', 'Repeat a campaign on days of the week, with the people of a segment', { body: SetScheduleBody, answer: CampaignScheduleAnswer }),
  removeCampaignSchedule: route('DELETE 204', `${org}/campaigns/:campaign_id/schedule`, 'member', 'Stop repeating a campaign; campaigns that it started stay', {}),
  createCampaign: route('POST 201', `${org}/campaigns`, 'member', 'Make a campaign', { body: CreateCampaignBody, answer: CampaignRecord }),
  readCampaign: route('GET 200', `${org}/campaigns/:campaign_id`, 'viewer', 'Read a campaign', { answer: CampaignRecord }),
  updateCampaign: route('PATCH 200', `${org}/campaigns/:campaign_id`, 'member', 'Rename a campaign or change its settings', { body: UpdateCampaignBody, answer: CampaignRecord }),
  previewCampaign: route('POST 200', `${org}/campaigns/:campaign_id/preview`, 'viewer', 'What a recipient would get, and when; stores nothing', { body: PreviewCampaignBody, answer: CampaignPreview }),
  reviewCampaign: route('POST 200', `${org}/campaigns/:campaign_id/review`, 'viewer', 'Who of the waiting recipients, of the end users who match filters, or of the recipients of a file would be messaged, when, and who not; stores nothing', { body: ReviewCampaignBody, bodyOptional: true, bodyLimit: RECIPIENTS_BODY_BYTES, answer: CampaignReview }),
  rehearseCampaign: route('POST 200', `${org}/campaigns/:campaign_id/rehearsal`, 'member', 'Play a campaign on a virtual clock: who is messaged when, who not and why; sends and stores nothing', { body: RehearseCampaignBody, bodyLimit: RECIPIENTS_BODY_BYTES, answer: CampaignRehearsal }),
  testCampaign: route('POST 202', `${org}/campaigns/:campaign_id/test`, 'member', 'Send the first message to oneself as a test; no one is enrolled', { body: TestCampaignBody, answer: AcceptedMessage }),
  deleteCampaign: route('DELETE 204', `${org}/campaigns/:campaign_id`, 'member', 'Delete a campaign', {}),
  countAudience: route('POST 200', `${org}/campaigns/:campaign_id/audience`, 'member', 'Count the end users who match filters, as an addition would, a page for each call', { body: CountAudienceBody, answer: CountedAudience }),
  countFile: route('POST 200', `${org}/campaigns/:campaign_id/audience-file`, 'member', 'Count the recipients of a file, as an addition would', { body: CountFileBody, bodyLimit: RECIPIENTS_BODY_BYTES, answer: CountedFile }),
  readCampaignReport: route('GET 200', `${org}/campaigns/:campaign_id/report`, 'viewer', 'How many people a campaign reached, hour by hour or day by day', { query: ReportQuery, answer: CampaignReport }),
  startPush: route('POST 202', `${org}/campaigns/:campaign_id/pushes`, 'member', 'Add the end users who match filters, or the recipients of a file, in the background', { body: StartAdditionBody, bodyLimit: RECIPIENTS_BODY_BYTES, answer: AdditionRecord }),
  listPushes: route('GET 200', `${org}/campaigns/:campaign_id/pushes`, 'viewer', 'List what was added to a campaign in the background, and its progress', { query: AdditionListQuery, answer: Page(AdditionRecord) }),
  readPush: route('GET 200', `${org}/campaigns/:campaign_id/pushes/:push_id`, 'viewer', 'Read an addition in the background and its progress', { answer: AdditionRecord }),
  cancelPush: route('POST 200', `${org}/campaigns/:campaign_id/pushes/:push_id/cancel`, 'member', 'Stop an addition; people who were added stay', { answer: AdditionRecord }),
  listRecipients: route('GET 200', `${org}/campaigns/:campaign_id/recipients`, 'viewer', 'List recipients of a campaign', { query: RecipientListQuery, answer: Page(NamedRecipient) }),
  exportRecipients: route('GET 200', `${org}/campaigns/:campaign_id/recipients.csv`, 'member', 'The recipients of a campaign as CSV', { query: RecipientExportQuery }),
  cancelRecipient: route('POST 200', `${org}/campaigns/:campaign_id/recipients/:recipient_id/cancel`, 'member', 'Cancel a recipient', { answer: RecipientRecord }),
  listCampaignResults: route('GET 200', `${org}/campaigns/:campaign_id/results`, 'viewer', 'List the results of its conversations', { query: PageQuery({}), answer: Page(NamedResult) }),
  exportCampaignResults: route('GET 200', `${org}/campaigns/:campaign_id/results.csv`, 'member', 'The results of its conversations as CSV', {}),
  startCampaign: route('POST 200', `${org}/campaigns/:campaign_id/start`, 'member', 'Start a campaign', { answer: CampaignRecord }),
  pauseCampaign: route('POST 200', `${org}/campaigns/:campaign_id/pause`, 'member', 'Pause a campaign', { answer: CampaignRecord }),
  resumeCampaign: route('POST 200', `${org}/campaigns/:campaign_id/resume`, 'member', 'Resume a campaign', { answer: CampaignRecord }),
  endCampaign: route('POST 200', `${org}/campaigns/:campaign_id/end`, 'member', 'End a campaign for good', { answer: CampaignRecord }),

  // Keys
  listKeys: route('GET 200', `${org}/keys`, 'viewer', 'List API keys', { query: KeyListQuery, answer: Page(KeyRecord) }),
  createKey: route('POST 201', `${org}/keys`, 'admin', 'Make an API key; its value is shown only here', { body: CreateKeyBody, answer: NewKey }),
  readKey: route('GET 200', `${org}/keys/:key_id`, 'viewer', 'Read an API key', { answer: KeyRecord }),
  readKeyUsage: route('GET 200', `${org}/keys/:key_id/usage`, 'viewer', 'Requests of an API key by outcome', { query: KeyUsageQuery, answer: KeyUsage }),
  renameKey: route('PATCH 200', `${org}/keys/:key_id`, 'admin', 'Rename an API key', { body: RenameKeyBody, answer: KeyRecord }),
  shortenKeyNetworks: route('PUT 200', `${org}/keys/:key_id/networks`, 'admin', 'Narrow the networks that an API key may be used from', { body: ShortenKeyNetworksBody, answer: KeyRecord }),
  lowerKeyLimits: route('PATCH 200', `${org}/keys/:key_id/limits`, 'admin', 'Lower the limits of an API key', { body: LowerKeyLimitsBody, answer: KeyRecord }),
  rotateKey: route('POST 201', `${org}/keys/:key_id/rotate`, 'admin', 'Replace an API key by a new one with the same rights', { body: RotateKeyBody, answer: NewKey }),
  revokeKey: route('POST 200', `${org}/keys/:key_id/revoke`, 'admin', 'Revoke an API key', { answer: KeyRecord }),

  // Access tokens for programs
  listAccessTokens: route('GET 200', `${org}/access-tokens`, 'viewer', 'List access tokens: own ones, for admins all', { query: AccessTokenListQuery, answer: Page(AccessTokenRecord) }),
  createAccessToken: route('POST 201', `${org}/access-tokens`, 'viewer', 'Make an access token; its value is shown only here', { body: CreateAccessTokenBody, answer: NewAccessToken }),
  replaceAccessToken: route('POST 201', `${org}/access-tokens/:token_id/replace`, 'viewer', 'Revoke an access token and make one with the same rights', { body: ReplaceAccessTokenBody, answer: NewAccessToken }),
  revokeAccessToken: route('POST 200', `${org}/access-tokens/:token_id/revoke`, 'viewer', 'Revoke an access token', { answer: AccessTokenRecord }),

  // Events and webhook endpoints
  listWebhooks: route('GET 200', `${org}/webhooks`, 'viewer', 'List endpoints for events', { answer: Whole(WebhookRecord) }),
  createWebhook: route('POST 201', `${org}/webhooks`, 'admin', 'Add an endpoint; its secret is shown only here', { body: CreateWebhookBody, answer: NewWebhook }),
  readWebhook: route('GET 200', `${org}/webhooks/:endpoint_id`, 'viewer', 'Read an endpoint', { answer: WebhookRecord }),
  updateWebhook: route('PATCH 200', `${org}/webhooks/:endpoint_id`, 'admin', 'Change, enable or disable an endpoint', { body: UpdateWebhookBody, answer: WebhookRecord }),
  rotateWebhookSecret: route('POST 200', `${org}/webhooks/:endpoint_id/rotate-secret`, 'admin', 'Replace the signing secret; the new one is shown only here', { body: RotateWebhookBody, answer: NewWebhook }),
  deleteWebhook: route('DELETE 204', `${org}/webhooks/:endpoint_id`, 'admin', 'Delete an endpoint with its deliveries', {}),
  testWebhook: route('POST 202', `${org}/webhooks/:endpoint_id/test`, 'admin', 'Send a test event to an endpoint', { answer: EventDeliveryDetail }),
  recoverWebhook: route('POST 200', `${org}/webhooks/:endpoint_id/recover`, 'admin', 'Send all failed and waiting events of an endpoint again', { body: RecoverWebhookBody, answer: RecoveredDeliveries }),
  listEventDeliveries: route('GET 200', `${org}/event-deliveries`, 'viewer', 'List deliveries of events', { query: EventDeliveryQuery, answer: Page(EventDelivery) }),
  readEventDelivery: route('GET 200', `${org}/event-deliveries/:event_id/:endpoint_id`, 'viewer', 'Read a delivery with its attempts', { answer: EventDeliveryDetail }),
  resendEventDelivery: route('POST 200', `${org}/event-deliveries/:event_id/:endpoint_id/resend`, 'admin', 'Send an event again', { answer: EventDeliveryDetail }),
  watchEvents: route('GET 200', `${org}/events`, 'viewer', 'Watch events as they happen', { query: WatchEventsQuery, answer: WatchedEvents }),

  // Secrets of tools
  rotateAgentSecret: route('POST 201', `${org}/agents/:agent_id/secret`, 'member', 'Create or replace the secret that signs the turns of own code; it is shown only here', { answer: AgentSecret }),
  listToolSecrets: route('GET 200', `${org}/agents/:agent_id/tool-secrets`, 'viewer', 'List which tools of an agent are signed', { answer: Whole(ToolSecretRecord) }),
  createToolSecret: route('POST 201', `${org}/agents/:agent_id/tool-secrets`, 'admin', 'Sign the calls of a tool; the secret is shown only here', { body: CreateToolSecretBody, answer: NewToolSecret }),
  rotateToolSecret: route('POST 200', `${org}/agents/:agent_id/tool-secrets/:tool_secret_id/rotate`, 'admin', 'Replace the signing secret of a tool; the new one is shown only here', { body: RotateToolSecretBody, answer: NewToolSecret }),
  setToolCredentials: route('PUT 200', `${org}/agents/:agent_id/tool-secrets/:tool_secret_id/credentials`, 'admin', 'Set or remove the credentials that calls of a tool carry', { body: SetToolCredentialsBody, answer: ToolSecretRecord }),
  deleteToolSecret: route('DELETE 204', `${org}/agents/:agent_id/tool-secrets/:tool_secret_id`, 'admin', 'Stop signing the calls of a tool, and remove its credentials', {}),

  // Models
  listModels: route('GET 200', `${org}/models`, 'viewer', 'List model providers', { answer: Whole(ModelRecord) }),
  setModel: route('PUT 200', `${org}/models/:provider`, 'admin', 'Set address and key of a model provider', { body: SetModelBody, answer: ModelRecord }),
  checkModel: route('POST 200', `${org}/models/:provider/check`, 'admin', 'Call the embedding model once and record its dimensions', { answer: ModelCheck }),
  removeModel: route('DELETE 204', `${org}/models/:provider`, 'admin', 'Remove a model provider', {}),

  // Model usage and budgets
  readUsage: route('GET 200', `${org}/usage`, 'viewer', 'What models used, by day, agent, key, campaign or model', { query: UsageQuery, answer: UsageRecord }),
  listModelPrices: route('GET 200', `${org}/model-prices`, 'viewer', 'List what models cost', { answer: Whole(ModelPrice) }),
  setModelPrice: route('PUT 200', `${org}/model-prices`, 'admin', 'Set or remove the price of a model', { body: SetPriceBody, answer: Whole(ModelPrice) }),
  listBudgets: route('GET 200', `${org}/budgets`, 'viewer', 'List budgets with what is spent', { answer: Whole(BudgetRecord) }),
  setBudget: route('PUT 200', `${org}/budgets`, 'admin', 'Set a budget', { body: SetBudgetBody, answer: BudgetRecord }),
  removeBudget: route('DELETE 204', `${org}/budgets/:budget_id`, 'admin', 'Remove a budget', {}),

  // Conversations and people
  listConversations: route('GET 200', `${org}/conversations`, 'viewer', 'List conversations', { query: ConversationListQuery, answer: Page(ListedConversation) }),
  countConversations: route('GET 200', `${org}/conversations/counts`, 'viewer', 'How many conversations wait for members', { answer: ConversationCounts }),
  listConversationViews: route('GET 200', `${org}/conversations/views`, 'viewer', 'List saved views of conversations: one’s own and the shared ones', { answer: Whole(ConversationView) }),
  createConversationView: route('POST 201', `${org}/conversations/views`, 'member', 'Save filters of conversations as a view', { body: CreateConversationViewBody, answer: ConversationView }),
  deleteConversationView: route('DELETE 204', `${org}/conversations/views/:view_id`, 'member', 'Delete a view', {}),
  changeConversations: route('POST 200', `${org}/conversations/changes`, 'member', 'Assign, snooze, hand back or resolve several conversations', { body: ChangeConversationsBody, answer: ChangedConversations }),
  readConversation: route('GET 200', `${org}/conversations/:conversation_id`, 'viewer', 'Read a conversation', { query: ConversationQuery, answer: ConversationRecord }),
  listMessages: route('GET 200', `${org}/conversations/:conversation_id/messages`, 'viewer', 'List the messages of a conversation, newest first', { query: MessageListQuery, answer: Page(ConversationMessage) }),
  markConversationSeen: route('POST 204', `${org}/conversations/:conversation_id/seen`, 'viewer', 'What was said is not new to the reader any more', {}),
  listPresence: route('GET 200', `${org}/conversations/:conversation_id/presence`, 'viewer', 'Which other members have a conversation open', { answer: Whole(PresentMember) }),
  setPresence: route('PUT 204', `${org}/conversations/:conversation_id/presence`, 'viewer', 'The reader has a conversation open, writes, or has gone', { body: PresenceBody }),
  sayInConversation: route('POST 200', `${org}/conversations/:conversation_id/say`, 'member', 'Speak as the end user (sandbox) and wait for the agent’s turn', { body: SayBody, answer: SayAnswer }),
  replyInConversation: route('POST 201', `${org}/conversations/:conversation_id/reply`, 'member', 'Answer as a person', { query: ReplyQuery, body: ReplyBody, answer: ConversationMessage }),
  sendFileInConversation: route('POST 201', `${org}/conversations/:conversation_id/files`, 'member', 'Send a file as a person', { query: SendFileQuery, body: Type.Unsafe<unknown>({}), rawBody: MAX_ATTACHMENT_BYTES, answer: ConversationMessage }),
  addNote: route('POST 201', `${org}/conversations/:conversation_id/notes`, 'member', 'Write a note that only members see', { body: NoteBody, answer: ConversationNote }),
  deleteNote: route('DELETE 204', `${org}/conversations/:conversation_id/notes/:note_id`, 'member', 'Delete a note of one’s own', {}),
  takeOverConversation: route('POST 200', `${org}/conversations/:conversation_id/take-over`, 'member', 'Take over from the agent', { answer: ConversationSummary }),
  setConversationTags: route('PUT 200', `${org}/conversations/:conversation_id/tags`, 'member', 'Set the tags of a conversation', { body: SetTagsBody, answer: ConversationSummary }),
  assignConversation: route('PUT 200', `${org}/conversations/:conversation_id/assignee`, 'member', 'Assign a conversation to a member, or to no one', { body: AssignBody, answer: ConversationSummary }),
  snoozeConversation: route('PUT 200', `${org}/conversations/:conversation_id/snooze`, 'member', 'Put a conversation off until later', { body: SnoozeBody, answer: ConversationSummary }),
  handBackConversation: route('POST 200', `${org}/conversations/:conversation_id/hand-back`, 'member', 'Hand back to the agent', { answer: ConversationSummary }),
  resolveConversation: route('POST 200', `${org}/conversations/:conversation_id/resolve`, 'member', 'Resolve a conversation', { answer: ConversationSummary }),
  readConversationHelp: route('GET 200', `${org}/conversations/:conversation_id/help`, 'viewer', 'Which help a model gives in a conversation', { answer: MemberHelp }),
  summarizeConversation: route('POST 200', `${org}/conversations/:conversation_id/summary`, 'member', 'Summarize a conversation that was handed over', { query: SummaryQuery, answer: ConversationSummaryText }),
  draftReply: route('POST 200', `${org}/conversations/:conversation_id/draft`, 'member', 'Draft an answer; nothing is sent', { answer: DraftedReply }),
  translateText: route('POST 200', `${org}/conversations/:conversation_id/translations`, 'member', 'Translate a text of a conversation', { body: TranslateBody, answer: Translation }),
  fillSavedReply: route('GET 200', `${org}/conversations/:conversation_id/saved-replies/:saved_reply_id`, 'viewer', 'A saved reply as it would stand in a conversation', { answer: FilledReply }),
  listSegments: route('GET 200', `${org}/segments`, 'viewer', 'List segments: filters of end users under a name', { answer: Whole(SegmentRecord) }),
  createSegment: route('POST 201', `${org}/segments`, 'member', 'Save filters of end users as a segment', { body: CreateSegmentBody, answer: SegmentRecord }),
  deleteSegment: route('DELETE 204', `${org}/segments/:segment_id`, 'member', 'Delete a segment', {}),
  listApprovals: route('GET 200', `${org}/approvals`, 'viewer', 'List tool calls that need an approval', { query: ApprovalListQuery, answer: Page(ListedApproval) }),
  decideApproval: route('POST 200', `${org}/approvals/:approval_id`, 'member', 'Approve or deny a tool call', { body: DecideApprovalBody, answer: ApprovalEntry }),
  readHandOffRules: route('GET 200', `${org}/hand-offs`, 'viewer', 'To whom hand-offs go, and when', { answer: HandOffRules }),
  setHandOffRules: route('PUT 200', `${org}/hand-offs`, 'admin', 'Say to whom hand-offs go, and when', { body: SetHandOffRulesBody, answer: HandOffRules }),
  readMemberHelp: route('GET 200', `${org}/member-help`, 'viewer', 'Which calls of a model help members', { answer: MemberHelp }),
  setMemberHelp: route('PUT 200', `${org}/member-help`, 'admin', 'Choose which calls of a model help members', { body: MemberHelp, answer: MemberHelp }),
  setAttendance: route('PUT 204', `${org}/attendance`, 'viewer', 'Be away and get no hand-offs, or be present', { body: AttendanceBody }),
  setInbox: route('PUT 204', `${org}/inbox`, 'viewer', 'Open the next conversation after a resolve or snooze, or stay', { body: InboxBody }),
  listSavedReplies: route('GET 200', `${org}/saved-replies`, 'viewer', 'List saved replies', { answer: Whole(SavedReplySummary) }),
  createSavedReply: route('POST 201', `${org}/saved-replies`, 'member', 'Save a reply', { body: CreateSavedReplyBody, answer: SavedReplyRecord }),
  readSavedReply: route('GET 200', `${org}/saved-replies/:saved_reply_id`, 'viewer', 'Read a saved reply', { answer: SavedReplyRecord }),
  updateSavedReply: route('PATCH 200', `${org}/saved-replies/:saved_reply_id`, 'member', 'Change a saved reply', { body: UpdateSavedReplyBody, answer: SavedReplyRecord }),
  deleteSavedReply: route('DELETE 204', `${org}/saved-replies/:saved_reply_id`, 'member', 'Delete a saved reply', {}),
  listEndUsers: route('GET 200', `${org}/end-users`, 'viewer', 'List end users', { query: EndUserListQuery, answer: Page(EndUserRecord) }),
  createEndUser: route('POST 201', `${org}/end-users`, 'member', 'Make an end user', { body: CreateEndUser, answer: EndUserRecord }),
  tagEndUsers: route('POST 200', `${org}/end-users/tags`, 'member', 'Add a tag to several end users, or remove one', { body: TagEndUsersBody, answer: TaggedEndUsers }),
  exportEndUsers: route('GET 200', `${org}/end-users/export.csv`, 'member', 'All end users as CSV', { query: EndUserExportQuery }),
  readEndUser: route('GET 200', `${org}/end-users/:end_user_id`, 'viewer', 'Read an end user', { answer: EndUserRecord }),
  listEndUserCampaigns: route('GET 200', `${org}/end-users/:end_user_id/campaigns`, 'viewer', 'The campaigns of an end user, the newest first', { answer: Whole(EndUserCampaign) }),
  readAttributeOrder: route('GET 200', `${org}/attribute-order`, 'viewer', 'The order in which members see the attributes of people', { answer: AttributeOrder }),
  setAttributeOrder: route('PUT 200', `${org}/attribute-order`, 'admin', 'Set the order in which members see the attributes of people', { body: AttributeOrder, answer: AttributeOrder }),
  updateEndUser: route('PATCH 200', `${org}/end-users/:end_user_id`, 'member', 'Change an end user', { body: UpdateEndUser, answer: EndUserRecord }),
  eraseEndUser: route('DELETE 204', `${org}/end-users/:end_user_id`, 'member', 'Erase an end user for good', {}),
  setEndUserConsent: route('PUT 200', `${org}/end-users/:end_user_id/consent/:channel_kind`, 'member', 'Record the consent of a person for a kind of channel', { body: SetConsent, answer: EndUserRecord }),
  exportEndUser: route('GET 200', `${org}/end-users/:end_user_id/export`, 'member', 'Everything about one end user, as JSON', {}),
  listImports: route('GET 200', `${org}/end-user-imports`, 'viewer', 'List imports of end users', { query: ImportListQuery, answer: Page(ImportRecord) }),
  createImport: route('POST 201', `${org}/end-user-imports`, 'member', 'Make room for a CSV file of end users', { body: CreateImportBody, answer: ImportRecord }),
  readImport: route('GET 200', `${org}/end-user-imports/:import_id`, 'viewer', 'Read an import and its progress', { answer: ImportRecord }),
  sendImportPiece: route('PUT 204', `${org}/end-user-imports/:import_id/pieces/:piece`, 'member', 'Send one MiB of the file', { body: Type.Unsafe<unknown>({}), rawBody: IMPORT_PIECE_BYTES }),
  previewImport: route('GET 200', `${org}/end-user-imports/:import_id/preview`, 'viewer', 'Header, first rows and likely columns of the file', { query: PreviewQuery, answer: ImportPreview }),
  runImport: route('POST 202', `${org}/end-user-imports/:import_id/run`, 'member', 'Import the file, or try it', { body: RunImportBody, answer: ImportRecord }),
  cancelImport: route('POST 200', `${org}/end-user-imports/:import_id/cancel`, 'member', 'Stop an import; rows that were imported stay', { answer: ImportRecord }),
  listImportFaults: route('GET 200', `${org}/end-user-imports/:import_id/faults`, 'viewer', 'List rows that failed', { query: PageQuery({}), answer: Page(ImportFault) }),
  exportImportFaults: route('GET 200', `${org}/end-user-imports/:import_id/failed-rows.csv`, 'viewer', 'The rows that failed as CSV, with the reason', {}),

  // What happened
  listRequests: route('GET 200', `${org}/requests`, 'viewer', 'List requests that keys made', { query: RequestListQuery, answer: Page(RequestRecord) }),
  listRequestCalls: route('GET 200', `${org}/requests/calls`, 'viewer', 'What was called lately', { answer: Whole(RequestCall) }),
  listAudit: route('GET 200', `${org}/audit`, 'viewer', 'List who did what', { query: AuditListQuery, answer: Page(AuditRecord) }),
  exportAudit: route('GET 200', `${org}/audit/export`, 'admin', 'The audit log as CSV or JSON Lines', { query: AuditExportQuery }),
  watchChanges: route('GET 200', `${org}/changes`, 'viewer', 'Be told of changes as they happen, by server-sent events', { query: ChangesQuery }),
  readStatistics: route('GET 200', `${org}/numbers`, 'viewer', 'What happened in 24 hours, 7 or 30 days', { query: NumbersQuery, answer: Numbers }),
  readAnalytics: route('GET 200', `${org}/analytics`, 'viewer', 'Figures of conversations by day, agent, version, channel or member', { query: AnalyticsQuery, answer: Analytics }),
  exportAnalytics: route('GET 200', `${org}/analytics/export.csv`, 'viewer', 'The same figures as CSV', { query: AnalyticsQuery }),
  readWeeklyMail: route('GET 200', `${org}/weekly-mail`, 'viewer', 'Whether one gets the weekly mail', { answer: WeeklyMailRecord }),
  setWeeklyMail: route('PUT 200', `${org}/weekly-mail`, 'viewer', 'Get the weekly mail, or not', { body: WeeklyMailBody, answer: WeeklyMailRecord }),
  stopWeeklyMail: route('POST 204', '/weekly-mail/:link', 'public', 'Stop a weekly mail by the link in it', { body: Type.Unsafe<unknown>({}), rawBody: MAX_UNSUBSCRIBE_BYTES }),
  readOverview: route('GET 200', `${org}/overview`, 'viewer', 'Counts for the first page', { answer: Overview }),
} satisfies Record<string, DashboardRoute>;

export const DASHBOARD_ROUTES: typeof routes = routes;
export type DashboardRouteName = keyof typeof routes;

type ParamIn<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | ParamIn<`/${Rest}`>
  : P extends `${string}:${infer N}`
    ? N
    : never;
/** The names of the parameters in the path of a route. */
export type ParamOf<N extends DashboardRouteName> = ParamIn<(typeof routes)[N]['path']>;

type In<R, K extends string> = R extends Record<K, infer S extends TSchema> ? Static<S> : undefined;
export type BodyOf<N extends DashboardRouteName> = In<(typeof routes)[N], 'body'>;
export type QueryOf<N extends DashboardRouteName> = In<(typeof routes)[N], 'query'>;
export type AnswerOf<N extends DashboardRouteName> = In<(typeof routes)[N], 'answer'>;
