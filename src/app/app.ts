import type { Access } from '../access/access.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import type { Secrets } from '../config/secrets.ts';
import { readPausedAt } from '../store/installation/pause.ts';
import { createApi } from './api.ts';
import { openRooms } from './open-rooms.ts';
import type { AppDeps } from './app-deps.ts';
import { createPauseGate } from './pause-gate.ts';
import { type Service, startAll, stopAll } from './service.ts';
import { createWorkers } from './workers.ts';

export type { AppDeps, Role } from './app-deps.ts';

export type App = {
  secrets: Secrets;
  access: Access;
  sessions: Sessions;
  /** Listens for requests and returns the address. Null for a worker, which serves no requests. */
  start(): Promise<{ host: string; port: number } | null>;
  /** Makes `/ready` fail so that clients use another node, but still answers requests. */
  leave(): void;
  /** Stops accepting work, finishes work in progress (in at most 25 s), and releases the lease. */
  stop(): Promise<void>;
};

/** Connects the rooms. The app starts nothing automatically, so tests run the same program as production. */
export async function createApp(input: AppDeps): Promise<App> {
  const rooms = await openRooms(input);
  const isPaused = async (): Promise<boolean> => (await readPausedAt(input.db)) !== null;
  const workers =
    input.role === 'api' ? [] : [createPauseGate({ isPaused, log: input.log }, createWorkers(input, rooms))];
  const api = input.role === 'worker' ? null : createApi(input, rooms);
  const services: Service[] = [...rooms.services, ...workers, ...(api ? [api] : [])];
  return {
    secrets: rooms.secrets,
    access: rooms.deps.access,
    sessions: rooms.deps.sessions,
    start: async () => {
      await startAll(services);
      return api?.address() ?? null;
    },
    leave: () => api?.drain(),
    stop: () => stopAll(services),
  };
}
