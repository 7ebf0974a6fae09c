import { createLeakReportLimit } from '../access/limits/leak-report-limit.ts';
import { createVisitorLimit, VISITOR_LIMITS } from '../access/visitors/visitor-limit.ts';
import { createUsageCounter } from '../features/usage/count-requests.ts';
import { attachmentRoutes } from '../http/attachments/routes.ts';
import { approvalRoutes } from '../http/api/approvals/routes.ts';
import { campaignRoutes } from '../http/api/campaigns/routes.ts';
import { channelApiRoutes } from '../http/api/channels/routes.ts';
import { completionRoutes } from '../http/api/completions/routes.ts';
import { endUserRoutes } from '../http/api/end-users/routes.ts';
import { listEventsRoute } from '../http/api/events/list-events.ts';
import { createClientTokenRoute } from '../http/api/client-tokens/create-client-token.ts';
import { reportLeakedRoute } from '../http/api/keys/report-leaked.ts';
import { triggerRoutes } from '../http/api/triggers/routes.ts';
import { chatRoutes } from '../http/chat/routes.ts';
import { createWidgetScript } from '../http/chat/widget-script.ts';
import { mountDashboard } from '../http/dashboard/serve-dashboard.ts';
import { dashboardRoutes } from '../http/dashboard/routes.ts';
import { createHttpServer } from '../http/edge/server.ts';
import { inboundRoutes } from '../http/inbound/routes.ts';
import { turnAnswerRoute } from '../http/inbound/turn-answers.ts';
import { createPaging } from '../http/route/paging.ts';
import { ownFile } from '../kernel/own-files.ts';
import { type Db, isUnreachable } from '../store/db.ts';
import type { Rooms } from './open-rooms.ts';
import type { AppDeps } from './app-deps.ts';
import type { Service } from './service.ts';

/** The folder of the built web chat, which the setup creates. */
const WIDGET = ownFile('widget/dist/widget.js');
/** The folder of the built dashboard, which the setup creates. */
const DASHBOARD = ownFile('dashboard/dist');

export type Api = Service & {
  /** The port of the address is known after the start. */
  address(): { host: string; port: number };
  drain(): void;
};

/** Creates the HTTP server with all routes. */
export function createApi(
  { config, db, log, version }: AppDeps,
  { deps, shared, secrets, metrics, tracer }: Rooms,
): Api {
  const usage = createUsageCounter({ db, log });
  const paging = createPaging(secrets.cursorKey);
  const all = {
    ...deps,
    paging,
    leakReportLimit: createLeakReportLimit(undefined, shared),
    scanners: config.leakReportKeys,
    visitorLimit: createVisitorLimit(VISITOR_LIMITS, shared),
    chatScript: createWidgetScript(WIDGET),
  };
  const server = createHttpServer({
    routes: [
      ...triggerRoutes(all),
      ...completionRoutes(all),
      ...campaignRoutes(all),
      ...endUserRoutes(all),
      ...approvalRoutes(all),
      listEventsRoute(all),
      reportLeakedRoute(all),
      createClientTokenRoute(all),
      ...channelApiRoutes(all),
      ...inboundRoutes(all),
      turnAnswerRoute(all),
      ...chatRoutes(all),
      ...attachmentRoutes(all),
      ...dashboardRoutes(all, paging),
    ],
    countRequest: usage.count,
    access: deps.access,
    region: config.region,
    baseUrl: config.baseUrl,
    trustedProxies: config.trustedProxies,
    version,
    log,
    tracer,
    now: Date.now,
    ready: () => readiness(db),
  });
  mountDashboard(server, DASHBOARD);
  metrics?.watch(server.server);
  return {
    address: () => {
      const address = server.server.address();
      return { host: config.host, port: typeof address === 'object' && address ? address.port : config.port };
    },
    drain: () => server.drain(),
    start: async () => {
      usage.start();
      await server.listen({ host: config.host, port: config.port });
    },
    stop: async () => {
      server.drain();
      await server.close();
      await usage.stop();
    },
  };
}

async function readiness(db: Db): Promise<{ ok: boolean; detail: string }> {
  try {
    await db.$client.query('SELECT 1');
    return { ok: true, detail: 'ready' };
  } catch (error) {
    return { ok: false, detail: isUnreachable(error) ? 'The database cannot be reached.' : 'The database refuses.' };
  }
}
