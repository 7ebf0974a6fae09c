/**
 * What happens in an organization, as its endpoints are told (Standard Webhooks 1.0): the closed list. What each carries
 * is in events.ts; this file holds no schema, so that the dashboard can load it.
 */
export const EVENT_TYPES = [
  'conversation.started',
  'conversation.handed_off',
  'conversation.resolved',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'run.completed',
  'run.failed',
  'run.skipped',
  'end_user.created',
  'end_user.updated',
  'end_user.deleted',
  'end_user.opted_out',
  'campaign.recipient.updated',
  'campaign.ended',
  'api_key.created',
  'api_key.revoked',
  'audit.recorded',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Says who did what, and from where: only an endpoint that names it hears it, one that wants every type does not. */
export const AUDIT_EVENT = 'audit.recorded' satisfies EventType;

/** Goes to one endpoint when a member asks for it, whatever types the endpoint has chosen. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** When each is told, in a sentence. */
export const EVENT_MEANINGS: Readonly<Record<EventType, string>> = {
  'conversation.started': 'A conversation was begun: by a trigger, a campaign, a message of yours or the person.',
  'conversation.handed_off': 'The agent, or a member, handed the conversation to people.',
  'conversation.resolved': 'The conversation came to its end.',
  'message.received': 'The end user wrote, or a trigger call brought first words.',
  'message.sent': 'A message to the end user has left.',
  'message.delivered': 'It has arrived.',
  'message.read': 'It was read.',
  'message.failed': 'It will not arrive: failed, undelivered or suppressed, with the reason in `error`.',
  'run.completed': 'The run has done what it was for.',
  'run.failed': 'The run was given up, with the reason in `error`.',
  'run.skipped': 'The run had nobody to speak to, for example after an opt-out.',
  'end_user.created': 'A person became known.',
  'end_user.updated': 'Something about the person changed.',
  'end_user.deleted': 'The person was erased; nothing but the id is left.',
  'end_user.opted_out': 'The person wants nothing more on one kind of channel.',
  'campaign.recipient.updated': 'A recipient moved on to another status.',
  'campaign.ended': 'The campaign has ended.',
  'api_key.created': 'An API key was made.',
  'api_key.revoked': 'An API key was revoked; `leak` says where it was found if it was reported as leaked.',
  'audit.recorded': 'A line was added to the audit log. Only for endpoints that name this type.',
};

export const EVENT_DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type EventDeliveryState = (typeof EVENT_DELIVERY_STATES)[number];
