/**
 * How long a claim lasts without a renewal, in seconds, for each queue. After this time other workers take over the
 * rows of a dead worker. A live worker renews the lease after a third of this time, or with each stored page.
 */
export const LEASE_SECONDS = {
  run: 30,
  message: 30,
  event_delivery: 30,
  mail: 30,
  attachment: 60,
  end_user_import: 30,
  campaign_push: 30,
  document_source: 60,
  document_embedding: 60,
  document_question: 60,
} as const;

export type QueueTable = keyof typeof LEASE_SECONDS;
