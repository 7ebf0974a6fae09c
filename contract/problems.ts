import { RATE_WINDOW_SECONDS } from './limits.ts';

/**
 * This file has the closed list of all problems. Each code has one status, one title and one remedy. The error bodies
 * (RFC 9457), the pages under /docs/problems/ and the OpenAPI description use this list.
 */
export type ProblemKind = {
  status: number;
  title: string;
  fix: string;
  /**
   * The number of seconds after which the same call may succeed. Every response with this code has the number in the
   * header `Retry-After`, unless the refusal has another value (for mails and codes that were tried too often).
   */
  retryAfterSeconds?: number;
};

const kinds = {
  // 400: the request cannot be parsed
  body_invalid: {
    status: 400,
    title: 'The body is not acceptable JSON',
    fix: 'Send one JSON object in UTF-8, without NUL characters or lone surrogates, at most 32 levels deep and with at most 1,000 keys.',
  },
  request_invalid: {
    status: 400,
    title: 'The request is not well-formed HTTP',
    fix: 'Send a plain HTTP/1.1 request with exactly one Host header; check the path for broken percent-encoding.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor is not valid',
    fix: 'Send next_cursor of the previous page unchanged, to the same list with the same filters. Omit the cursor to start from the first page.',
  },
  // 401: not authenticated
  authorization_missing: {
    status: 401,
    title: 'No usable Authorization header',
    fix: 'Send exactly one header of the form "Authorization: Bearer <API_KEY>".',
  },
  key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    fix: 'Check that the whole key was copied: it starts with parley_, names its region and ends with a checksum. Create keys in the dashboard under Settings, Integrations, API Keys.',
  },
  key_wrong_region: {
    status: 401,
    title: 'The API key belongs to another region',
    fix: 'Call the base URL of the region that the key names, or create a key in this region. A key works only in its own region.',
  },
  key_revoked: {
    status: 401,
    title: 'The API key has been revoked',
    fix: 'Revocation is final. Create a new key in the dashboard.',
  },
  client_token_expired: {
    status: 401,
    title: 'The client token has expired',
    fix: 'Your backend creates a new token with POST /api/client-tokens. The browser client requests the new token with getToken.',
  },
  token_invalid: {
    status: 401,
    title: 'The access token is not valid',
    fix: 'Check that the whole token was copied: it starts with parley_token_, names its region and ends with a checksum. API keys are not accepted here. Create tokens in the dashboard under Settings, Access tokens.',
  },
  token_expired: {
    status: 401,
    title: 'The access token has expired',
    fix: 'Create a new token in the dashboard under Settings, Access tokens, or replace this one there.',
  },
  token_revoked: {
    status: 401,
    title: 'The access token has been revoked',
    fix: 'Revocation is final. A token also ends when its person leaves the organization or loses the role that it needs. Create a new token.',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is not valid',
    fix: 'Sign the raw bytes of the body. On a channel: use the channel secret and a timestamp at most five minutes off, as the documentation of the channel shows. In a report of leaked keys: use the key that Github-Public-Key-Identifier names.',
  },
  visitor_token_invalid: {
    status: 401,
    title: 'The visitor token is not valid',
    fix: 'Open a session with POST /chat/{channel_id}/sessions and send its token. The widget opens a new session automatically.',
  },
  reply_token_invalid: {
    status: 401,
    title: 'The reply token is not valid',
    fix: 'Send the reply_token of exactly this turn as the bearer token, to the reply_url of the same turn.',
  },
  session_missing: {
    status: 401,
    title: 'Not signed in',
    fix: 'Sign in to the dashboard, or run "./parley login", and try again.',
  },
  sign_in_failed: {
    status: 401,
    title: 'E-mail address or password is wrong',
    fix: 'Check e-mail address and password and try again, or ask for a new password on the sign-in page.',
  },
  sign_in_expired: {
    status: 401,
    title: 'This sign-in has expired',
    fix: 'A sign-in works once, within 10 minutes, in the same browser and under the same address. Start again on the sign-in page.',
  },
  sign_in_refused: {
    status: 401,
    title: 'The provider of your organization refused the sign-in',
    fix: 'Start again on the sign-in page. If the sign-in fails again, ask an owner of your organization to check the settings of the provider.',
  },
  second_factor_failed: {
    status: 401,
    title: 'The code is wrong',
    fix: 'Enter the code that your app shows now; each code works once. You can also use a recovery code.',
  },
  second_factor_expired: {
    status: 401,
    title: 'Signing in took too long',
    fix: 'Start again. Enter the code within five minutes after the password.',
  },
  passkey_refused: {
    status: 401,
    title: 'The passkey was not accepted',
    fix: 'Try again, or sign in with your password. A passkey works only under the address at which it was created.',
  },
  // 403: not allowed
  network_not_allowed: {
    status: 403,
    title: 'The key may not be used from this network address',
    fix: 'Call from one of the networks that the key allows, or create a key for this network: you can narrow the networks of a key, but not widen them. If the address in the detail is that of a proxy, add the proxy to TRUSTED_PROXIES.',
  },
  key_used_up: {
    status: 403,
    title: 'The total number of calls of the key is used up',
    fix: 'The key has a limit of calls in total (limits.total), which is never raised. Create a new key in the dashboard. If calls are still in progress and are refused, or a server has just stopped, some calls may become free within two seconds.',
  },
  account_required: {
    status: 403,
    title: 'This invitation needs an account',
    fix: 'Sign in with an account of the invited address. If you have no account, ask the operator of this installation to invite you.',
  },
  plan_required: {
    status: 403,
    title: 'The API needs the paid plan',
    fix: 'Upgrade the plan of the organization. On the paid plan, existing keys work again unchanged.',
  },
  permission_missing: {
    status: 403,
    title: 'The key lacks a permission',
    fix: 'The permissions of a key cannot be changed: create a new key with the permission that required_permission names.',
  },
  campaign_key_required: {
    status: 403,
    title: 'Only a campaign key may make this call',
    fix: 'Use a key created on the page of the campaign. Organization and agent keys are not accepted here.',
  },
  campaign_mismatch: {
    status: 403,
    title: 'The key is bound to another campaign',
    fix: 'Use the key of the campaign that the path names, or the path of the campaign that the key is bound to.',
  },
  agent_mismatch: {
    status: 403,
    title: 'The key is bound to another agent',
    fix: 'Use a key of the agent that the path names, or an organization key.',
  },
  role_missing: {
    status: 403,
    title: 'Your role does not allow this call',
    fix: 'Ask an owner or admin of the organization to make this change, or to change your role.',
  },
  operator_required: {
    status: 403,
    title: 'Only the operator of this installation may make this call',
    fix: 'Ask the person who set up this Parley installation.',
  },
  second_factor_required: {
    status: 403,
    title: 'A second factor is required',
    fix: 'Set up an authenticator app or a passkey on the page of your account, or sign in with the one that you have.',
  },
  origin_refused: {
    status: 403,
    title: 'The request comes from another site',
    fix: 'Changes are accepted only from the dashboard. Open the dashboard under its own address and try again.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'Calls from this site are not allowed',
    fix: "Use the page's exact origin, such as https://shop.example. For a web chat, add it to allowed_origins in the settings of the channel. For a client token, name it in origins when your backend creates the token.",
  },
  client_token_not_allowed: {
    status: 403,
    title: 'Client tokens cannot make this call',
    fix: 'A client token can only call its own trigger, and read the runs and messages of the conversations that it started. Make other calls from your backend with an API key.',
  },
  setup_closed: {
    status: 403,
    title: 'The setup link is no longer valid',
    fix: 'The setup link works once, for 30 minutes. If there is no owner yet, a restart of Parley prints a new link.',
  },
  sign_in_address_refused: {
    status: 403,
    title: 'This address may not sign in here',
    fix: 'The provider must send a verified e-mail address, in a domain that the organization has verified.',
  },
  membership_ended: {
    status: 403,
    title: 'You are no longer a member of this organization',
    fix: 'Ask an owner or admin to invite this address; then sign in the same way again.',
  },
  organization_full: {
    status: 403,
    title: 'The organization has the maximum number of members',
    fix: 'Ask an owner or admin to remove a member first.',
  },
  personal_session_required: {
    status: 403,
    title: 'This session is limited to one organization',
    fix: 'You signed in with the provider of an organization. For your account and other organizations, sign in with your own password.',
  },
  token_not_accepted: {
    status: 403,
    title: 'Access tokens cannot make this call',
    fix: 'Sign in as a person. Tokens open only routes about agents; members, keys, secrets, people and sign-in are closed to them.',
  },
  token_too_narrow: {
    status: 403,
    title: 'The access token is too narrow',
    fix: 'The rights of a token cannot be changed: create a token with the verb or the agent that the detail names.',
  },
  // 404: not found
  route_not_found: {
    status: 404,
    title: 'No such path',
    fix: 'Compare the path with the reference under /docs.',
  },
  agent_not_found: {
    status: 404,
    title: 'No such agent',
    fix: 'Check the agent id in the path: the agent must belong to the organization of the key. The page of the agent and ./parley agents list show the id.',
  },
  trigger_not_found: {
    status: 404,
    title: 'No such trigger',
    fix: 'Check the trigger id in the path; it must belong to the agent in the path. ./parley triggers list --agent AGENT_ID shows both.',
  },
  channel_not_found: {
    status: 404,
    title: 'No such channel',
    fix: 'Check the channel id; the channel must be connected and belong to the agent. GET /api/channels/{agent_id} lists the channels of an agent.',
  },
  campaign_not_found: {
    status: 404,
    title: 'No such campaign',
    fix: 'Check the campaign id in the path; GET /api/me shows the campaign of the key. A deleted campaign cannot be restored.',
  },
  recipient_not_found: {
    status: 404,
    title: 'No such recipient',
    fix: 'Check the recipient id in the path, or find the recipient by your own ref: GET /api/campaigns/{campaign_id}/recipients?ref=….',
  },
  run_not_found: {
    status: 404,
    title: 'No such run',
    fix: 'Check the run id; it must belong to the trigger in the path. When a person is erased, the runs of this person are erased too.',
  },
  approval_not_found: {
    status: 404,
    title: 'No such approval',
    fix: 'Check the approval id. An agent key finds only the approvals of its agent. When a person is erased, the approvals of this person are erased too.',
  },
  conversation_not_found: {
    status: 404,
    title: 'No such conversation',
    fix: 'Check the conversation id: the conversation must belong to this person, or be on this channel. When a person is erased, the conversations are erased too.',
  },
  attachment_not_found: {
    status: 404,
    title: 'No such file',
    fix: 'Check the whole address. A file is deleted with its message, and when the person is erased.',
  },
  view_not_found: {
    status: 404,
    title: 'No such view',
    fix: 'Check the id of the view, or list the views. You cannot see private views of other members, and a shared view may have been deleted.',
  },
  note_not_found: {
    status: 404,
    title: 'You have no such note',
    fix: 'Check the id of the note. Only the author of a note can delete it.',
  },
  message_not_found: {
    status: 404,
    title: 'No such message',
    fix: 'Check the message id in the path: the message must be on this channel. When a person is erased, the messages are erased too.',
  },
  end_user_not_found: {
    status: 404,
    title: 'No such end user',
    fix: 'Check the id: ids of Parley start with enduser_. Look up your own ids with GET /api/end-users?external_id=…. An erased person cannot be restored.',
  },
  key_not_found: { status: 404, title: 'No such API key', fix: 'Check the key id, or list the keys.' },
  token_not_found: { status: 404, title: 'No such access token', fix: 'Check the token id, or list the tokens.' },
  organization_not_found: {
    status: 404,
    title: 'No such organization',
    fix: 'Check the organization id; you must be one of its members.',
  },
  member_not_found: { status: 404, title: 'No such member', fix: 'Check the member id, or list the members.' },
  invitation_not_found: {
    status: 404,
    title: 'No such invitation',
    fix: 'The link was used, was withdrawn or has expired. Ask for a new invitation.',
  },
  email_link_not_found: {
    status: 404,
    title: 'The link does not verify your address',
    fix: 'The link works within 24 hours, in a browser in which you are signed in to that account. Ask for a new link in the dashboard.',
  },
  mail_link_not_found: {
    status: 404,
    title: 'The link cannot stop the mail',
    fix: 'Open the complete link from the mail again, or turn the mail off under “Your account” in the dashboard.',
  },
  tool_secret_not_found: {
    status: 404,
    title: 'No such secret of a tool',
    fix: 'List the secrets of the tools of the agent.',
  },
  webhook_not_found: { status: 404, title: 'No such endpoint', fix: 'Check the endpoint id, or list the endpoints.' },
  delivery_not_found: {
    status: 404,
    title: 'No such delivery',
    fix: 'Check the event id and the endpoint id. Events are kept for 30 days, or until the person in them is erased.',
  },
  password_link_not_found: {
    status: 404,
    title: 'The password link is no longer valid',
    fix: 'Each link works once, within 30 minutes. Request a new link under “Forgot password”, or ask the operator: ./parley reset-password EMAIL.',
  },
  sign_in_provider_not_found: {
    status: 404,
    title: 'No organization sign-in for this address',
    fix: 'Check the address. The domain of the address must be verified, and the provider enabled, under Settings, Sign-in. You can also sign in with a password.',
  },
  sign_in_domain_not_found: {
    status: 404,
    title: 'No such domain',
    fix: 'Check the domain, or add it first under Settings, Sign-in.',
  },
  passkey_not_found: {
    status: 404,
    title: 'No such passkey',
    fix: 'Check the id of the passkey, or look at the page of your account.',
  },
  document_not_found: { status: 404, title: 'No such document', fix: 'Check the document id, or list the documents.' },
  push_not_found: {
    status: 404,
    title: 'No such addition',
    fix: 'Check the push id, or list the additions of the campaign.',
  },
  segment_not_found: { status: 404, title: 'No such segment', fix: 'Check the segment id, or list the segments.' },
  saved_reply_not_found: {
    status: 404,
    title: 'No such saved reply',
    fix: 'Check the id of the saved reply, or list the saved replies.',
  },
  budget_not_found: { status: 404, title: 'No such budget', fix: 'Check the budget id, or list the budgets.' },
  wording_not_found: { status: 404, title: 'No such question', fix: 'List the learned questions of the agent.' },
  source_not_found: {
    status: 404,
    title: 'No such site',
    fix: 'Check the id of the site, or list the sites of the agent.',
  },
  import_not_found: { status: 404, title: 'No such import', fix: 'Check the import id, or list the imports.' },
  agent_version_not_found: {
    status: 422,
    title: 'The agent has no such version',
    fix: 'Send the number of a published version of this agent. The page of the agent and ./parley agents versions list the published versions.',
  },
  rollout_not_found: {
    status: 404,
    title: 'No version of this agent was ever rolled out',
    fix: 'Start a rollout on the tab Versions of the agent, or with ./parley agents rollout.',
  },
  version_not_found: { status: 404, title: 'No such version', fix: 'Check the version number, or list the versions.' },
  problem_not_found: { status: 404, title: 'No such problem code', fix: 'The list of codes is under /docs/problems.' },
  // 405 and similar
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    fix: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    fix: 'Send headers and body within 30 seconds.',
  },
  // 409: not possible in this state
  rating_closed: {
    status: 409,
    title: 'The conversation can no longer be rated',
    fix: 'A score can be given for 7 days after the survey, and changed for 10 minutes after that.',
  },
  rollout_active: {
    status: 409,
    title: 'A version of this agent is being rolled out',
    fix: 'Finish or stop the rollout first, on the tab Versions of the agent or with ./parley agents rollout. You can add a version without making it live.',
  },
  rollout_not_active: {
    status: 409,
    title: 'No version of this agent is being rolled out',
    fix: 'Start a rollout, or reload the page: it may have stopped automatically.',
  },
  tests_not_passed: {
    status: 409,
    title: 'Tests of the agent have failed or were not run',
    fix: 'Run the tests on exactly this definition and these documents (the page of the agent, or ./parley agents test), then publish. To publish although tests have not passed, give a reason as without_tests. The reason is stored in the audit log.',
  },
  answer_not_recorded: {
    status: 409,
    title: 'The recording has no answer to this request to the model',
    fix: 'The definition, the test, a document or a tool has changed since the recording. Record again: ./parley agents test AGENT --record FILE.',
  },
  reply_outdated: {
    status: 409,
    title: 'Another member has replied',
    fix: 'Nothing was sent. Read the new reply, then send yours if it is still needed.',
  },
  turn_superseded: {
    status: 409,
    title: 'The turn no longer accepts this answer',
    fix: 'The person has written again, another answer was first, the deadline has passed, or the run has ended. Drop the answer. If the person wrote, your code receives a new turn with all messages.',
  },
  trigger_disabled: {
    status: 409,
    title: 'The trigger is disabled',
    fix: 'Enable the trigger on its page, or with ./parley triggers update TRIGGER_ID --enable; then send the call again.',
  },
  agent_disabled: {
    status: 409,
    title: 'The agent is disabled',
    fix: 'Enable the agent on its page, or with ./parley agents update AGENT_ID --enable; then send the call again.',
  },
  channel_disabled: {
    status: 409,
    title: 'The channel is disabled',
    fix: 'Enable or reconnect the channel in the dashboard.',
  },
  channel_unsupported: {
    status: 409,
    title: 'The channel does not support this call',
    fix: 'Use a channel that has this capability.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The endpoint is disabled',
    fix: 'Enable the endpoint in the dashboard or with ./parley webhooks update ENDPOINT_ID --enable, then send again.',
  },
  campaign_not_open: {
    status: 409,
    title: 'The campaign does not accept recipients now',
    fix: 'Start or resume the campaign first. An ended campaign cannot be started again.',
  },
  account_exists: {
    status: 409,
    title: 'An account with this address exists',
    fix: 'Sign in with this account and open the link again. If you do not know the password of the account, ask for a new password.',
  },
  mail_missing: {
    status: 409,
    title: 'This installation sends no mail',
    fix: 'The operator sets SMTP_URL and MAIL_FROM, or gives you a link: ./parley reset-password EMAIL.',
  },
  already_exists: {
    status: 409,
    title: 'It already exists',
    fix: 'Use the record that existing_id names, or choose another value.',
  },
  domain_taken: {
    status: 409,
    title: 'Another organization has verified this domain',
    fix: 'A domain belongs to one organization. If another organization should release the domain, ask the operator of this installation.',
  },
  domain_unproven: {
    status: 409,
    title: 'The record of the domain was not found',
    fix: 'Add the TXT record exactly as shown, wait until your DNS returns it, and verify again. The operator can also confirm the domain.',
  },
  import_not_ready: {
    status: 409,
    title: 'The state of the import does not allow this call',
    fix: 'Upload the complete file first, and wait until a running import ends. To import a file again, upload it again.',
  },
  approval_decided: {
    status: 409,
    title: 'The approval was decided differently',
    fix: 'A decision is final. Read the approval to see the decision and its reason. You can repeat the same decision.',
  },
  run_finished: {
    status: 409,
    title: 'The run has ended',
    fix: 'Nothing is left to cancel; read the run to see how it ended.',
  },
  recipient_finished: {
    status: 409,
    title: 'The recipient is already finished',
    fix: 'Nothing is left to cancel; read the recipient to see how it ended.',
  },
  document_is_synced: {
    status: 409,
    title: 'The document is a page of a site',
    fix: 'A page of a site is updated and removed with its site. Remove the site, and add the pages that you need one by one.',
  },
  source_running: {
    status: 409,
    title: 'The site is being read',
    fix: 'Wait until the sync ends, or stop it.',
  },
  source_not_running: {
    status: 409,
    title: 'The site is not being read',
    fix: 'Nothing is left to stop.',
  },
  note_limit_reached: {
    status: 409,
    title: 'The conversation has the maximum number of notes',
    fix: 'Delete notes that are no longer needed. A conversation can have 100 notes.',
  },
  source_limit_reached: {
    status: 409,
    title: 'The organization has the maximum number of sites',
    fix: 'Remove a site of any agent that is no longer needed.',
  },
  knowledge_agent_full: {
    status: 409,
    title: "The agent's document limit is reached",
    fix: 'Remove documents that this agent no longer needs; the detail says how much fits. The paid plan has a higher limit.',
  },
  knowledge_organization_full: {
    status: 409,
    title: "The organization's document limit is reached",
    fix: 'Remove documents of any agent that are no longer needed; the detail says how much fits. The paid plan has a higher limit.',
  },
  attachments_full: {
    status: 409,
    title: "The organization's limit of files in conversations is reached",
    fix: 'Keep conversations for a shorter time (Settings, Organization), or erase people who are no longer needed; the detail says how much fits. The paid plan has a higher limit.',
  },
  key_revoked_already: {
    status: 409,
    title: 'The API key has been revoked',
    fix: 'A revoked key cannot be changed: create a new key.',
  },
  token_limit_reached: {
    status: 409,
    title: 'The limit of access tokens is reached',
    fix: 'Revoke tokens that are no longer used. A person can have 50 tokens in an organization.',
  },
  last_owner: {
    status: 409,
    title: 'The organization needs an owner',
    fix: 'Make another member an owner first.',
  },
  idempotency_in_progress: {
    status: 409,
    retryAfterSeconds: 1,
    title: 'The first call with this Idempotency-Key is still in progress',
    fix: 'Wait a second and send the same call again, to get the response of the first call.',
  },
  // 413, 414, 415, 421, 431
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    fix: 'Send at most 256 KiB (262,144 bytes). If a call has another limit, its detail names that limit.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not plain JSON',
    fix: 'Send "Content-Type: application/json" in UTF-8 and no Content-Encoding.',
  },
  headers_too_large: {
    status: 431,
    title: 'The header block is too large',
    fix: 'Send at most 16 KiB of headers.',
  },
  host_unknown: {
    status: 421,
    title: 'This server does not have this host name',
    fix: 'Open the dashboard under the configured address of this server: BASE_URL_US, BASE_URL_EU, BASE_URL_IN or BASE_URL_QA. A proxy must forward the Host header.',
  },
  // 422: parsed, but invalid
  validation_failed: {
    status: 422,
    title: 'The request breaks the schema',
    fix: 'Each entry in errors names one fault: where it is (a JSON pointer) and what is expected. Correct the request: without changes, the same call fails again.',
  },
  file_not_readable: {
    status: 422,
    title: 'The file cannot become a document',
    fix: 'The code in errors says why: encrypted, scanned, broken, letters_missing, unsupported, encoding, empty, too_large, too_many_pages or too_complex. The detail says what to do.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was used with another body',
    fix: 'Use a new Idempotency-Key for a new call, or send the first body again to get its response again.',
  },
  channel_check_failed: {
    status: 422,
    title: 'The provider does not accept the channel',
    fix: 'Correct what the detail names, so that it matches the provider, and connect again. Nothing was stored.',
  },
  content_unsupported: {
    status: 422,
    title: 'The channel does not support this content',
    fix: 'Look up the capabilities of the channel and send one of its content types.',
  },
  session_window_closed: {
    status: 422,
    title: "The channel's reply window is closed",
    fix: 'Send an approved template, or wait until the person writes again.',
  },
  recipient_opted_out: {
    status: 422,
    title: 'The recipient has opted out',
    fix: 'Nothing may be sent on this kind of channel until the person opts in again. If the person opts in outside Parley, record the opt-in: PUT /api/end-users/{end_user_id}/consent/{channel_kind}.',
  },
  no_address: {
    status: 422,
    title: 'The recipient has no address on this channel',
    fix: 'Send to.address, or store the address on the end user: phone for sms and whatsapp, email for email. On telegram and slack, a person has an address only after they have written.',
  },
  // 429, 5xx
  rate_limited: {
    status: 429,
    retryAfterSeconds: RATE_WINDOW_SECONDS,
    title: 'Too many calls',
    fix: 'Wait as many seconds as Retry-After says, then retry.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    fix: 'Retry. If the call fails again, report the request_id to the operator.',
  },
  provider_failed: {
    status: 502,
    title: 'The provider returned an error',
    fix: 'The detail says what the provider returned. Check the address and the credentials.',
  },
  run_failed: {
    status: 502,
    title: 'The agent could not answer',
    fix: 'The call was accepted, and its run failed. The detail says why, and the page of the conversation in the dashboard shows each attempt.',
  },
  answer_pending: {
    status: 504,
    retryAfterSeconds: 1,
    title: 'The agent has not answered yet',
    fix: 'The call was accepted, and the agent will answer. Repeat the call with the same Idempotency-Key to wait for the answer, or read the run that the header Location names. Without an Idempotency-Key, a repeated call starts another run.',
  },
  unavailable: {
    status: 503,
    retryAfterSeconds: 1,
    title: 'Parley is temporarily unavailable',
    fix: 'Nothing was done. Wait as many seconds as Retry-After says, then retry.',
  },
  outcome_unknown: {
    status: 503,
    retryAfterSeconds: 1,
    title: 'It is not known whether the call took effect',
    fix: 'Retry with the same Idempotency-Key, so that the call takes effect exactly once.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof kinds;

export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = kinds;

export const isProblemCode = (value: string): value is ProblemCode => Object.hasOwn(kinds, value);

/** A fault in a body has a location (JSON pointer), a code, and a sentence. */
export type Fault = { pointer: string; code: string; detail: string };

/** The error body of every response that is not a success (`application/problem+json`). */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  request_id: string;
  errors?: Fault[];
  required_permission?: string;
  key_permissions?: string[];
  existing_id?: string;
};

export type RefusalExtras = {
  /** One entry per fault in the body. */
  errors?: Fault[];
  /** The additional members of the body for this code, such as `required_permission`. */
  members?: Record<string, unknown>;
  /**
   * The additional headers of this response, such as `RateLimit`. The code sets `Retry-After`, unless the additional
   * headers contain it.
   */
  headers?: Record<string, string>;
  /** The verified key of the refused request, for the log and the counters. The caller never receives the key. */
  caller?: { keyId: string; orgId: string };
  /** The cause is only for the log and is never sent. */
  cause?: unknown;
};

/**
 * A refusal. Any room may throw a refusal. `http/edge/problems.ts` turns a refusal into the error body. The field
 * `detail` is a full sentence for the caller and never repeats input.
 */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly extras: RefusalExtras;

  constructor(code: ProblemCode, detail?: string, extras: RefusalExtras = {}) {
    const counted = code === 'validation_failed' && extras.errors ? countFaults(extras.errors) : undefined;
    super(detail ?? counted ?? PROBLEMS[code].fix, { cause: extras.cause });
    this.name = 'Refusal';
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** Creates the refusal of one invalid field. */
export const invalidAt = (pointer: string, code: string, detail: string): Refusal =>
  new Refusal('validation_failed', undefined, { errors: [{ pointer, code, detail }] });

const countFaults = ({ length }: readonly Fault[]): string =>
  `${length === 1 ? 'One fault' : `${length} faults`} in the request: see "errors".`;
