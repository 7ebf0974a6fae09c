const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** Standard Webhooks 1.0. */
export const WEBHOOK_HEADERS = [
  header('webhook-id', 'The id of the event or turn, the same in each attempt.'),
  header('webhook-timestamp', 'The time of this attempt, in seconds.'),
  header('webhook-signature', 'One or more signatures, separated by spaces. One of the signatures must match.'),
];
