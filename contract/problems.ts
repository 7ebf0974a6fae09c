import { RATE_WINDOW_SECONDS } from './limits.ts';

/**
 * The closed list of everything that can be refused, and why. Each code is one status, one title and one cure;
 * the same list makes the error bodies (RFC 9457), the pages under /docs/problems/ and the OpenAPI description.
 */
export type ProblemKind = {
  status: number;
  title: string;
  cure: string;
  /** Seconds after which the same call may succeed: the header `Retry-After` of every answer with this code. */
  retryAfterSeconds?: number;
};

const kinds = {
  // 400: the request cannot be read
  body_invalid: {
    status: 400,
    title: 'The body is not acceptable JSON',
    cure: 'Send one JSON object in UTF-8, without NUL characters or lone surrogates, at most 32 levels deep and with at most 1,000 keys.',
  },
  request_invalid: {
    status: 400,
    title: 'The request is not well-formed HTTP',
    cure: 'Send a plain HTTP/1.1 request with exactly one Host header; check the path for broken percent-encoding.',
  },
  cursor_invalid: {
    status: 400,
    title: 'The cursor is not one of ours',
    cure: 'Pass next_cursor of the previous page unchanged, to the same list with the same filters, or leave it out to start from the first page.',
  },
  // 401: who are you
  authorization_missing: {
    status: 401,
    title: 'No usable Authorization header',
    cure: 'Send exactly one header of the form "Authorization: Bearer <API_KEY>".',
  },
  key_invalid: {
    status: 401,
    title: 'The API key is not valid',
    cure: 'Check that the whole key was copied: it starts with parley_, names its region and ends with a checksum. Keys are made in the dashboard under Settings, Integrations, API Keys.',
  },
  key_wrong_region: {
    status: 401,
    title: 'The API key belongs to another region',
    cure: 'Call the base URL of the region that the key names, or make a key in this region. Keys never work outside their region.',
  },
  key_revoked: {
    status: 401,
    title: 'The API key has been revoked',
    cure: 'Revocation is final. Make a new key in the dashboard and replace this one.',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is not right',
    cure: 'Sign the raw bytes of the body: on a channel with its secret and a time at most five minutes off, as the documentation of the channel shows; in a report of leaked keys with the key that Github-Public-Key-Identifier names.',
  },
  visitor_token_invalid: {
    status: 401,
    title: 'The visitor token is not valid',
    cure: 'Open a session with POST /chat/{channel_id}/sessions and send its token; the widget does it by itself.',
  },
  session_missing: {
    status: 401,
    title: 'Not signed in',
    cure: 'Sign in to the dashboard, or run "./parley login", and try again.',
  },
  sign_in_failed: {
    status: 401,
    title: 'E-mail address or password is wrong',
    cure: 'Check both and try again, or ask for a new password on the sign-in page.',
  },
  sign_in_expired: {
    status: 401,
    title: 'This sign-in is over',
    cure: 'Each sign-in works once, within 10 minutes, in the browser and under the address where it began. Start again on the sign-in page.',
  },
  sign_in_refused: {
    status: 401,
    title: 'The provider of your organization did not let you in',
    cure: 'Start again on the sign-in page. If it stays, ask an owner of your organization to check the settings of the provider.',
  },
  second_factor_failed: {
    status: 401,
    title: 'The code is wrong',
    cure: 'Enter the code that your app shows now; each one works once. A recovery code works instead.',
  },
  second_factor_expired: {
    status: 401,
    title: 'Signing in took too long',
    cure: 'Begin again: the code must be entered within five minutes after the password.',
  },
  passkey_refused: {
    status: 401,
    title: 'The passkey was not accepted',
    cure: 'Try again, or sign in with your password. A passkey works only under the address at which it was made.',
  },
  // 403: you may not
  network_not_allowed: {
    status: 403,
    title: 'The key may not be used from this network address',
    cure: 'Call from one of the networks that the key allows, or make a key for this one: the networks of a key can be narrowed, never widened. If the address in the detail is that of a proxy, name the proxy in TRUSTED_PROXIES.',
  },
  account_required: {
    status: 403,
    title: 'This invitation needs an account',
    cure: 'Sign in with an account of the invited address. Without one, ask whoever runs this installation to invite you.',
  },
  plan_required: {
    status: 403,
    title: 'The API needs the paid plan',
    cure: 'Upgrade the plan of the organization; existing keys then work again unchanged.',
  },
  permission_missing: {
    status: 403,
    title: 'The key lacks a permission',
    cure: 'Rights of a key are fixed for life: make a new key that holds the permission named in required_permission.',
  },
  campaign_key_required: {
    status: 403,
    title: 'Only a campaign key may call this',
    cure: "Use the key that was made on the campaign's own page; organization and agent keys are never accepted here.",
  },
  campaign_mismatch: {
    status: 403,
    title: 'The key is bound to another campaign',
    cure: 'Use the key of the campaign that the path names, or the path of the campaign that the key is bound to.',
  },
  agent_mismatch: {
    status: 403,
    title: 'The key is bound to another agent',
    cure: 'Use a key of the agent that the path names, or an organization key.',
  },
  role_missing: {
    status: 403,
    title: 'Your role does not allow this',
    cure: 'Ask an owner or admin of the organization to do it or to change your role.',
  },
  operator_required: {
    status: 403,
    title: 'Only the operator of this installation may do this',
    cure: 'Ask the person who set up this Parley installation.',
  },
  second_factor_required: {
    status: 403,
    title: 'A second factor is required',
    cure: 'Set up an authenticator app or a passkey on the page of your account, or sign in with the one that you have.',
  },
  origin_refused: {
    status: 403,
    title: 'The request comes from another site',
    cure: 'Changes are accepted only from the dashboard itself: open it under its own address and try again.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'This site may not show the chat',
    cure: "Add the page's origin, such as https://shop.example, to allowed_origins in the settings of the channel.",
  },
  setup_closed: {
    status: 403,
    title: 'The setup link is not valid any more',
    cure: 'It works once and for 30 minutes. While there is no owner, a restart of Parley prints a new one.',
  },
  sign_in_address_refused: {
    status: 403,
    title: 'This address may not sign in here',
    cure: 'The provider must name an e-mail address that it has verified, of a domain that the organization has proven.',
  },
  membership_ended: {
    status: 403,
    title: 'You are no longer a member of this organization',
    cure: 'Ask an owner or admin to invite this address; then sign in the same way again.',
  },
  organization_full: {
    status: 403,
    title: 'The organization has no room for more members',
    cure: 'Ask an owner or admin to remove somebody first.',
  },
  personal_session_required: {
    status: 403,
    title: 'This session reaches one organization alone',
    cure: 'The provider of an organization opened it. For your account and other organizations sign in with your own password.',
  },
  // 404: no such thing
  route_not_found: {
    status: 404,
    title: 'No such path',
    cure: 'Compare the path with the reference under /docs.',
  },
  agent_not_found: {
    status: 404,
    title: 'No such agent',
    cure: 'Check the agent id in the path: it must be one of the organization of the key. The page of the agent shows it, and ./parley agents list.',
  },
  trigger_not_found: {
    status: 404,
    title: 'No such trigger',
    cure: 'Check the trigger id in the path; it must belong to the agent in the path. ./parley triggers list --agent AGENT_ID shows both.',
  },
  channel_not_found: {
    status: 404,
    title: 'No such channel',
    cure: 'Check the channel id; it must be connected and belong to the agent. GET /api/channels/{agent_id} lists those that are.',
  },
  campaign_not_found: {
    status: 404,
    title: 'No such campaign',
    cure: 'Check the campaign id in the path; GET /api/me tells which one the key is bound to. A campaign that was deleted does not come back.',
  },
  recipient_not_found: {
    status: 404,
    title: 'No such recipient',
    cure: 'Check the recipient id in the path, or find the recipient by your own name for it: GET /api/campaigns/{campaign_id}/recipients?ref=….',
  },
  run_not_found: {
    status: 404,
    title: 'No such run',
    cure: 'Check the run id; it must belong to the trigger in the path. Runs of a person go when the person is erased.',
  },
  conversation_not_found: {
    status: 404,
    title: 'No such conversation',
    cure: 'Check the conversation id: it must be one of this person, or on this channel. Conversations go when the person is erased.',
  },
  message_not_found: {
    status: 404,
    title: 'No such message',
    cure: 'Check the message id in the path: it must be one of this channel. Messages go when the person is erased.',
  },
  end_user_not_found: {
    status: 404,
    title: 'No such end user',
    cure: 'Check the id: ours begins with enduser_. Your own ids are looked up with GET /api/end-users?external_id=…. Whoever was erased is gone for good.',
  },
  key_not_found: { status: 404, title: 'No such API key', cure: 'Check the key id, or list the keys.' },
  organization_not_found: {
    status: 404,
    title: 'No such organization',
    cure: 'Check the organization id; you must be one of its members.',
  },
  member_not_found: { status: 404, title: 'No such member', cure: 'Check the member id, or list the members.' },
  invitation_not_found: {
    status: 404,
    title: 'No such invitation',
    cure: 'The link was used, withdrawn or has run out: ask for a new one.',
  },
  email_link_not_found: {
    status: 404,
    title: 'The link does not verify your address',
    cure: 'It works within 24 hours, in a browser where you are signed in to that account. Ask for another in the dashboard.',
  },
  webhook_not_found: { status: 404, title: 'No such endpoint', cure: 'Check the endpoint id, or list the endpoints.' },
  delivery_not_found: {
    status: 404,
    title: 'No such delivery',
    cure: 'Check event id and endpoint id; events are kept for 30 days, and go with the person they are about.',
  },
  password_link_not_found: {
    status: 404,
    title: 'The password link is not valid any more',
    cure: 'Each link works once, within 30 minutes. Ask whoever runs this installation for another: ./parley reset-password.',
  },
  sign_in_provider_not_found: {
    status: 404,
    title: 'No organization sign-in for this address',
    cure: 'Check the address; its domain must be proven and the provider switched on under Settings, Sign-in. Or sign in with a password.',
  },
  sign_in_domain_not_found: {
    status: 404,
    title: 'No such domain',
    cure: 'Check the domain, or add it first under Settings, Sign-in.',
  },
  passkey_not_found: {
    status: 404,
    title: 'No such passkey',
    cure: 'Check the id, or look at the page of your account.',
  },
  document_not_found: { status: 404, title: 'No such document', cure: 'Check the document id, or list the documents.' },
  import_not_found: { status: 404, title: 'No such import', cure: 'Check the import id, or list the imports.' },
  version_not_found: { status: 404, title: 'No such version', cure: 'Check the version number, or list the versions.' },
  problem_not_found: { status: 404, title: 'No such problem code', cure: 'The list of codes is under /docs/problems.' },
  // 405 and the like
  method_not_allowed: {
    status: 405,
    title: 'The path does not know this method',
    cure: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    cure: 'Send headers and body within 30 seconds.',
  },
  // 409: not in this state
  trigger_disabled: {
    status: 409,
    title: 'The trigger is disabled',
    cure: 'Enable the trigger on its page, or with ./parley triggers update TRIGGER_ID --enable; then send the call again.',
  },
  agent_disabled: {
    status: 409,
    title: 'The agent is disabled',
    cure: 'Enable the agent on its page, or with ./parley agents update AGENT_ID --enable; then send the call again.',
  },
  channel_disabled: {
    status: 409,
    title: 'The channel is disabled',
    cure: 'Enable or reconnect the channel in the dashboard.',
  },
  channel_unsupported: {
    status: 409,
    title: 'The channel cannot do this',
    cure: 'Use a channel whose capabilities include what you asked for.',
  },
  webhook_disabled: {
    status: 409,
    title: 'The endpoint is disabled',
    cure: 'Enable the endpoint in the dashboard, then send again.',
  },
  campaign_not_open: {
    status: 409,
    title: 'The campaign takes no recipients now',
    cure: 'Start or resume the campaign first; an ended campaign stays ended.',
  },
  account_exists: {
    status: 409,
    title: 'There is an account with this address',
    cure: 'Sign in with it and open the link again. If its password is lost, or not yours, ask for a new one.',
  },
  mail_missing: {
    status: 409,
    title: 'This installation sends no mail',
    cure: 'Whoever runs it sets SMTP_URL and MAIL_FROM, or hands over a link: ./parley reset-password EMAIL.',
  },
  already_exists: {
    status: 409,
    title: 'It exists already',
    cure: 'Use the record that existing_id names, or choose another value.',
  },
  domain_taken: {
    status: 409,
    title: 'Another organization has proven this domain',
    cure: 'A domain belongs to one organization. Ask the operator of this installation if that one should give it up.',
  },
  domain_unproven: {
    status: 409,
    title: 'The record of the domain was not found',
    cure: 'Add the TXT record exactly as it is shown, wait until your DNS answers with it, and verify again. The operator may confirm the domain instead.',
  },
  import_not_ready: {
    status: 409,
    title: 'The import cannot do this now',
    cure: 'Send the whole file first, wait for a run under way, and send the file again once it was imported.',
  },
  run_finished: {
    status: 409,
    title: 'The run has ended',
    cure: 'Nothing is left to cancel; read the run to see how it ended.',
  },
  recipient_finished: {
    status: 409,
    title: 'The recipient has come to an end',
    cure: 'Nothing is left to cancel; read the recipient to see how it ended.',
  },
  knowledge_agent_full: {
    status: 409,
    title: "The agent's documents take no more",
    cure: 'Remove documents of this agent that it no longer needs; the detail says how much fits. The paid plan takes more.',
  },
  knowledge_organization_full: {
    status: 409,
    title: "The organization's documents take no more",
    cure: 'Remove documents of any agent that are no longer needed; the detail says how much fits. The paid plan takes more.',
  },
  key_revoked_already: {
    status: 409,
    title: 'The API key has been revoked',
    cure: 'Nothing leaves the state revoked: make a new key.',
  },
  last_owner: {
    status: 409,
    title: 'The organization needs an owner',
    cure: 'Make somebody else an owner first.',
  },
  idempotency_in_progress: {
    status: 409,
    retryAfterSeconds: 1,
    title: 'The first call with this Idempotency-Key is still under way',
    cure: 'Wait a second and send the same call again; its answer will be replayed.',
  },
  // 413, 414, 415, 421, 431
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    cure: 'Send at most 256 KiB (262,144 bytes); where a call takes more, its reference says so.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not sent as plain JSON',
    cure: 'Send "Content-Type: application/json" in UTF-8 and no Content-Encoding.',
  },
  headers_too_large: {
    status: 431,
    title: 'The header block is too large',
    cure: 'Send at most 16 KiB of headers.',
  },
  host_unknown: {
    status: 421,
    title: 'This server does not go by this name',
    cure: 'Open the dashboard under the address that this server is configured with: BASE_URL_US, _EU, _IN or _QA, of its region. A proxy must pass the Host header on.',
  },
  // 422: read, but not right
  validation_failed: {
    status: 422,
    title: 'The request breaks the schema',
    cure: 'Each entry in errors names one fault, where it is (a JSON pointer) and what it must be. Correct it; the same call again fails again.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was used with another body',
    cure: 'Use a new key for a new call, or send the first body again to have its answer replayed.',
  },
  channel_check_failed: {
    status: 422,
    title: 'The provider does not accept the channel',
    cure: 'Correct what the detail names, as it stands at the provider, and connect again; nothing was stored.',
  },
  content_unsupported: {
    status: 422,
    title: 'The channel cannot carry this content',
    cure: 'Look up the capabilities of the channel and send one of its content types.',
  },
  session_window_closed: {
    status: 422,
    title: "The channel's reply window is closed",
    cure: 'Send an approved template, or wait until the person writes again.',
  },
  recipient_opted_out: {
    status: 422,
    title: 'The recipient has opted out',
    cure: 'Nothing may be sent on this kind of channel until the person opts in again. When they have told you so, record it: PUT /api/end-users/{end_user_id}/consent/{channel_kind}.',
  },
  no_address: {
    status: 422,
    title: 'The recipient has no address on this channel',
    cure: 'Give to.address, or store what the channel goes by on the end user: phone for sms and whatsapp, email for email. On telegram and slack a person has an address once they have written.',
  },
  // 429, 5xx
  rate_limited: {
    status: 429,
    retryAfterSeconds: RATE_WINDOW_SECONDS,
    title: 'Too many calls',
    cure: 'Wait the seconds that Retry-After names, then call again.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    cure: 'Try again; if it stays, report the request_id to the operator.',
  },
  provider_failed: {
    status: 502,
    title: 'The other side did not answer as it should',
    cure: 'The detail says what came back; check the address and the credentials.',
  },
  unavailable: {
    status: 503,
    retryAfterSeconds: 1,
    title: 'Parley cannot answer for certain right now',
    cure: 'Nothing was done. Wait the seconds that Retry-After names, then call again.',
  },
  outcome_unknown: {
    status: 503,
    retryAfterSeconds: 1,
    title: 'It is not known whether the call took effect',
    cure: 'Retry with the same Idempotency-Key: the call takes effect once, whatever happened.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof kinds;

export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = kinds;

export const isProblemCode = (value: string): value is ProblemCode => Object.hasOwn(kinds, value);

/** One fault of a body: where it is (JSON pointer), what kind, and a sentence. */
export type Fault = { pointer: string; code: string; detail: string };

/** The one error body of every answer that is not a success (`application/problem+json`). */
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
  /** One entry for each fault of the body. */
  errors?: Fault[];
  /** Members that this code adds to the body, such as `required_permission`. */
  members?: Record<string, unknown>;
  /** Headers that this refusal adds to the answer, such as `RateLimit`. `Retry-After` comes with the code. */
  headers?: Record<string, string>;
  /** The verified key that was refused, for the log and the counters; never sent. */
  caller?: { keyId: string; orgId: string };
  /** For the log alone; never sent. */
  cause?: unknown;
};

/**
 * A refusal: thrown by any room, turned into the one error body by `http/edge/problems.ts`.
 * `detail` is for the caller: a full sentence that echoes no input.
 */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly extras: RefusalExtras;

  constructor(code: ProblemCode, detail?: string, extras: RefusalExtras = {}) {
    super(detail ?? PROBLEMS[code].cure, { cause: extras.cause });
    this.name = 'Refusal';
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}
