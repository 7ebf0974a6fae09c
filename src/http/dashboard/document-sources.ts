import type { AgentsDeps } from '../../features/agents/deps.ts';
import { listSourcePages, listSources, readSource } from '../../features/agents/read-document-sources.ts';
import {
  cancelSync,
  createSource,
  deleteSource,
  syncSource,
  updateSource,
} from '../../features/agents/document-sources.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for pages, sitemaps and sites that agents use for answers. */
export const documentSourceRoutes = ({ route, deps }: RouteDeps<AgentsDeps>): Route[] => [
  route('listSources', ({ orgId, params: { agent_id: agent }, paged }) =>
    paged({ agent }, (page) => listSources(deps, orgId, agent, page)),
  ),
  route('createSource', async ({ orgId, params, body, actor, careful }) => {
    const record = await createSource(careful(deps), orgId, params.agent_id, body, actor);
    deps.wake.sources();
    return record;
  }),
  route('readSource', ({ orgId, params }) => readSource(deps, orgId, params.agent_id, params.source_id)),
  route('updateSource', ({ orgId, params, body, actor }) => updateSource(deps, orgId, of(params), body, actor)),
  route('deleteSource', ({ orgId, params, actor }) => deleteSource(deps, orgId, of(params), actor)),
  route('syncSource', async ({ orgId, params, actor }) => {
    const record = await syncSource(deps, orgId, of(params), actor);
    deps.wake.sources();
    return record;
  }),
  route('cancelSync', ({ orgId, params, actor }) => cancelSync(deps, orgId, of(params), actor)),
  route('listSourcePages', ({ orgId, params, query: { state }, paged }) =>
    paged(
      { source: params.source_id, state },
      (page) => listSourcePages(deps, orgId, of(params), state, page),
      ({ url }) => url,
    ),
  ),
];

const of = (params: { agent_id: string; source_id: string }) => ({ agentId: params.agent_id, id: params.source_id });
