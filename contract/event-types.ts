/**
 * The closed list of events that Parley sends to endpoints (Standard Webhooks 1.0). The schemas of their data are in
 * events.ts. This file contains no schema, so that the dashboard can load the list.
 */
export const EVENT_TYPES = [
  'conversation.started',
  'conversation.handed_off',
  'conversation.resolved',
  'conversation.reopened',
  'conversation.rated',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'run.completed',
  'run.failed',
  'run.skipped',
  'run.result_updated',
  'approval.requested',
  'end_user.created',
  'end_user.updated',
  'end_user.deleted',
  'end_user.opted_out',
  'campaign.recipient.updated',
  'campaign.ended',
  'api_key.created',
  'api_key.revoked',
  'budget.warning',
  'budget.spent',
  'agent.rollout_stopped',
  'audit.recorded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The event for audit records. Only an endpoint that selects this type gets the event, because "all events" does not
 * include it.
 */
export const AUDIT_EVENT = 'audit.recorded' satisfies EventType;

/** A member requests this event for one endpoint, which gets it regardless of the selected types. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** One sentence for each event type about the moment at which Parley sends it. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'conversation.started': 'A conversation started: by a trigger, a campaign, your message or the person.',
  'conversation.handed_off': 'The agent or a member handed the conversation over to people.',
  'conversation.resolved': 'The conversation has ended.',
  'conversation.reopened': 'A resolved conversation continues.',
  'conversation.rated': 'The person rated the conversation or an answer, changed the rating or added a comment.',
  'message.received': 'The end user wrote, or a trigger call contained a first message.',
  'message.sent': 'A message to the end user was sent.',
  'message.delivered': 'The message was delivered.',
  'message.read': 'The message was read.',
  'message.failed': 'The message will not arrive: it is failed, undelivered or suppressed, with the reason in `error`.',
  'run.completed': 'The run has completed.',
  'run.failed': 'The run has failed, with the reason in `error`.',
  'run.skipped': 'The run had no recipient, for example after an opt-out.',
  'run.result_updated': 'The result of a run changed. At most once in a second for each run.',
  'approval.requested': 'A tool call of an agent waits for the approval of the team.',
  'end_user.created': 'An end user was created.',
  'end_user.updated': 'An end user was changed.',
  'end_user.deleted': 'An end user was erased; only the id is left.',
  'end_user.opted_out': 'An end user opted out of one kind of channel.',
  'campaign.recipient.updated': 'The status of a recipient changed.',
  'campaign.ended': 'The campaign has ended.',
  'api_key.created': 'An API key was created.',
  'api_key.revoked': 'An API key was revoked; `leak` says where it was found if it was reported as leaked.',
  'budget.warning': 'Of a budget, 80 % is spent. Once in each period.',
  'budget.spent': 'A budget is spent, or does not cover another call. Once in each period.',
  'agent.rollout_stopped': 'The rollout of a version was stopped: automatically because it is worse, or by a member.',
  'audit.recorded': 'An entry was added to the audit log. Only for endpoints that select this type.',
};

export const EVENT_DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type EventDeliveryState = (typeof EVENT_DELIVERY_STATES)[number];
