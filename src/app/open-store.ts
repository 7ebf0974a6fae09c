import type { Secrets } from '../config/secrets.ts';
import { createSecretsOpener } from '../store/channels/secrets.ts';
import { createSuppression } from '../store/end-users/suppression.ts';
import { createEndUserQueue } from '../store/end-users/upsert.ts';
import { createIdempotencyGuard } from '../store/idempotency/guard.ts';
import { createSendQueue } from '../store/messages/accept.ts';
import { createMessageFeed } from '../store/messages/feed.ts';
import { createAcceptQueue } from '../store/runs/accept.ts';
import { createRunWaiter } from '../store/runs/wait-for-run.ts';
import { createLiveDeltas } from '../store/deltas/live-deltas.ts';
import type { AppDeps } from './app-deps.ts';

type Hooks = { onBatch(calls: number): void; onStored(): void };

/**
 * Opens the stateful parts of the store, such as batches of writes, callers that wait for a change, and open streams.
 */
export function openStore({ db, databaseUrl, role }: AppDeps, secrets: Secrets, { onBatch, onStored }: Hooks) {
  const suppression = createSuppression(secrets.suppressionKey);
  const waiter = createRunWaiter(db);
  const feed = createMessageFeed(db);
  return {
    db,
    guard: createIdempotencyGuard(),
    suppression,
    acceptQueue: createAcceptQueue(db, suppression, onBatch),
    endUserQueue: createEndUserQueue(db, suppression),
    sendQueue: createSendQueue(db, suppression),
    waiter,
    feed,
    liveDeltas: createLiveDeltas({
      pool: db.$client,
      url: databaseUrl,
      role,
      onStored: () => {
        waiter.look();
        feed.look();
        onStored();
      },
    }),
    openSecrets: createSecretsOpener(db, secrets.sealingKey),
  };
}
