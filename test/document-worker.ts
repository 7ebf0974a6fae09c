import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createDocument } from '../src/features/agents/documents.ts';
import { setModel } from '../src/features/models/set-model.ts';
import { createEgress, type Egress } from '../src/kernel/egress.ts';
import { createLogger } from '../src/kernel/log.ts';
import { deriveKey } from '../src/kernel/seal.ts';
import type { Db } from '../src/store/db.ts';
import type { PagedLoop } from '../src/worker/paged-loop.ts';
import { givenAgent, givenOrganization } from './factories.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from './fakes/model.ts';
import type { WireFormat } from './fakes/model-wire.ts';
import { useDatabase } from './use-database.ts';

const sealingKey = deriveKey('secret of the test', 'sealing');
const log = createLogger({ level: 'silent', pretty: false });
const actor = { userId: 'user_test', address: null, requestId: null };

type Deps = { db: Db; egress: Egress; sealingKey: typeof sealingKey; log: typeof log };
export type DocumentWorld = { db: Db; fake: FakeModel; orgId: string; agentId: string };

/** Starts a worker that sends the documents of an agent to a fake model. Each test has its own organization. */
export function useDocumentWorker(
  create: (deps: Deps & { pollMs: number }) => PagedLoop,
  use: (world: DocumentWorld) => void,
) {
  // The test files of a process share this module, so each file creates its own tools.
  const egress = createEgress({ allow: ['127.0.0.1'] });
  let db: Db;
  let fake: FakeModel;
  let world: DocumentWorld;
  let worker: PagedLoop | null = null;
  const deps = (): Deps => ({ db, egress, sealingKey, log });
  const stop = async (): Promise<void> => {
    await worker?.stop();
    worker = null;
  };
  useDatabase((made) => (db = made));
  beforeAll(async () => {
    fake = await startFakeModel();
  });
  beforeEach(async () => {
    const orgId = await givenOrganization(db);
    world = { db, fake, orgId, agentId: (await givenAgent(db, orgId)).agentId };
    use(world);
  });
  afterEach(stop);
  afterAll(async () => {
    await fake.close();
    await egress.close();
  });
  return {
    actor,
    deps,
    start: (): void => {
      worker = create({ ...deps(), pollMs: 20 });
      worker.start();
    },
    stop,
    connect: (settings: object, provider: WireFormat = 'openai') => {
      const body = { base_url: fake.baseUrl(provider), key: FAKE_MODEL_KEY, ...settings };
      return setModel(deps(), world.orgId, provider, body, actor);
    },
    add: async (text: string, name = 'Guide'): Promise<string> =>
      (await createDocument({ db }, world.orgId, world.agentId, { name, text }, actor)).id,
  };
}
